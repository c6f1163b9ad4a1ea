import { describe, expect, test } from "vitest";
import { fillText } from "../model/reply.ts";
import { parseDirectScript } from "./direct.ts";
import type { Context, Step } from "./scenario.ts";

describe("a script in a prompt", () => {
  test("has a step for each line", () => {
    const prompt = `
      think Two files, then a look.
      Write {"file_path":"{{cwd}}/a.txt","content":"a"}
      & mcp__my-server__put {"b":{"c":1}}

      fail {"type":"http","status":529,"times":2}
      Bash {"command":"ls"}
      Here they are:
      say {{result}}
      output {"files":2}`;

    expect(parseDirectScript(prompt)).toEqual([
      { think: "Two files, then a look." },
      {
        call: [
          { tool: "Write", input: { file_path: "{{cwd}}/a.txt", content: "a" } },
          { tool: "mcp__my-server__put", input: { b: { c: 1 } } },
        ],
      },
      { fail: { type: "http", status: 529, times: 2 } },
      { call: { tool: "Bash", input: { command: "ls" } } },
      { say: "Here they are:\n{{result}}" },
      { output: { files: 2 } },
    ]);
  });

  test("is said back where it names no call", () => {
    expect(parseDirectScript("Hello, you!\nHow are {you}?")).toEqual([{ say: "Hello, you!\nHow are {you}?" }]);
  });

  test("says a text that begins with a brace", () => {
    expect(parseDirectScript('say {"a":1}\nthink {"b":2}')).toEqual([{ say: '{"a":1}' }, { think: '{"b":2}' }]);
  });

  test.each(['Bash {"command":"ls"}', 'say First:\nBash {"command":"ls"}', 'Bash {"command":"ls"}\nthink Hm.'])(
    "ends with the last result where nothing is said after the last call: %j",
    (prompt) => {
      expect(lastWord(parseDirectScript(prompt), "a.txt")).toBe("a.txt");
    },
  );

  test("ends with a word where there is no result to say", () => {
    expect(lastWord(parseDirectScript('fail {"type":"reset","times":1}'), "")).toBe("Done.");
  });
});

describe("a bad line", () => {
  test.each([
    ['Bash {"command":}', /^Line 1 is bad: Unexpected token .*\n {4}Bash \{"command":\}$/],
    ['Bash {"command":"ls"}\n\noutput {"a":1', /^Line 3 is bad: .*JSON.*\n {4}output \{"a":1$/],
    ['say Hi\n& Bash {"command":"ls"}', /^Line 2 is bad: & joins a call to the call on the line before it/],
    ['fail {"type":"http","status":418}', /^Line 1 is bad: [^]*status/],
  ])("is the only answer: %j", (prompt, expected) => {
    const steps = parseDirectScript(prompt);
    expect(steps).toHaveLength(1);
    expect(lastWord(steps, "")).toMatch(expected);
  });

  test("is told with every other", () => {
    expect(lastWord(parseDirectScript("A {\nB {}\nC {"), "")).toMatch(/^Line 1 .*\n.*\nLine 3 .*\n.*$/);
  });
});

function lastWord(steps: readonly Step[], result: string): string | undefined {
  const context: Context = { prompt: "", cwd: "", result, results: [], captures: {}, tools: [], model: "" };
  const last = steps.at(-1);
  return last && "say" in last ? fillText(last.say, context) : undefined;
}

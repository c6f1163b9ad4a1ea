import { describe, expect, it } from "vitest";
import { numberedLines, outputText, resultWords, toolWords } from "./tool-words.ts";

const line = (tool: string, input: unknown, directory?: string): string => {
  const { verb, what } = toolWords(tool, input, directory);
  return `${verb} ${what}`.trim();
};

describe("a call as a line", () => {
  it.each([
    ["Bash", { command: "npm test\n&& echo done" }, "Run npm test && echo done"],
    ["Read", { file_path: "/w/src/a.ts", offset: 10, limit: 20 }, "Read src/a.ts, lines 10–29"],
    ["Grep", { pattern: "a|b", path: "/w/src" }, "Search a|b in src"],
    ["WebFetch", { url: "https://example.com/a" }, "Fetch example.com/a"],
    [
      "TodoWrite",
      {
        todos: [
          { content: "a", status: "completed" },
          { content: "b", status: "in_progress" },
        ],
      },
      "To do 1 of 2 done, now: b",
    ],
    ["mcp__my_db__run_query", { query: "select 1" }, "my_db: run query select 1"],
    ["ExitPlanMode", { plan: "\n# The plan\n1. a" }, "Propose a plan The plan"],
    ["toString", { name: "x" }, "toString x"],
    ["Bash", null, "Run"],
    ["Edit", [], "Edit"],
    ["TodoWrite", { todos: "none" }, "To do 0 of 0 done"],
  ])("says %s of %j as %j", (tool, input, words) => {
    expect(line(tool, input, "/w")).toBe(words);
  });

  it("cuts a command of a megabyte, and shows what cannot be seen", () => {
    expect(line("Bash", { command: "x".repeat(1_000_000) }).length).toBeLessThan(500);
    expect(line("Bash", { command: "a\u202Eb\u0000" })).toBe("Run a\\u{202e}b\\x00");
  });
});

describe("what came of a call", () => {
  const words = (tool: string, input: unknown, output: unknown, about = {}): string =>
    resultWords({ tool, input, output }, about);

  it("is said in a few words", () => {
    expect(words("Bash", {}, "a\nb\nc\n")).toBe("3 lines");
    expect(words("Bash", {}, "ok\n")).toBe("ok");
    expect(words("Edit", { old_string: "a\nb", new_string: "c" }, "done")).toBe("+1 −2");
    expect(words("Grep", {}, "Found 3 files\na\nb\nc")).toBe("Found 3 files");
    expect(words("Read", {}, [{ type: "text", text: "1\ta" }])).toBe("1 line");
  });

  it("says why it failed", () => {
    expect(words("Bash", {}, "Exit code 1\ncompiling\nerror: no such file\nbye", { isError: true })).toBe(
      "error: no such file",
    );
    expect(words("Read", {}, "<tool_use_error>File is gone\nmore</tool_use_error>", { isError: true })).toBe(
      "File is gone",
    );
    expect(words("Bash", {}, "", { isError: true })).toBe("failed");
    expect(words("Bash", {}, "x", { isDenied: true })).toBe("not permitted");
  });
});

it("takes text out of any output", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect([null, "a", [{ type: "text", text: "b" }, { type: "image" }], circle].map(outputText)).toEqual([
    "",
    "a",
    "b",
    "(nested too deeply to be shown)",
  ]);
});

it("takes the numbers off the lines of a file that was read", () => {
  expect(numberedLines("  9\ta\n 10→\tb\n\n<system-reminder>x")).toEqual({
    text: "a\n\tb\n\n<system-reminder>x",
    first: 9,
  });
  expect(numberedLines("no numbers")).toBeUndefined();
});

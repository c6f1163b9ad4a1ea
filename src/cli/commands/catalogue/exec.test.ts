import { describe, expect, it } from "vitest";
import { parsePayload, toCallEnd } from "./exec.ts";

describe("a payload", () => {
  it("is an object in JSON", () => {
    expect(parsePayload('{"command":"ls","n":{"a":[1]}}')).toEqual({ command: "ls", n: { a: [1] } });
  });

  it.each(["", "{", "[1]", "null", "3", '"x"', "undefined", "ls"])("%j is none", (text) => {
    expect(() => parsePayload(text)).toThrow(expect.objectContaining({ kind: "parse", target: "payload" }));
  });
});

describe("the end of a call", () => {
  it.each([
    ["text", "text", null],
    [undefined, "", null],
    [{ a: 1 }, '{"a":1}', null],
    [
      [{ type: "text", text: "a" }, { type: "image" }, null, { type: "text", text: "b" }],
      "a\nb",
      [{ type: "text", text: "a" }, { type: "image" }, null, { type: "text", text: "b" }],
    ],
  ])("with the output %j is told as text, and in whole where it is more", (output, text, content) => {
    const end = { type: "tool-end" as const, timestamp: "", toolUseId: "t", tool: "Bash", output, durationMs: 3 };
    expect(toCallEnd({ ...end, isError: true, isDenied: false })).toEqual({
      output: text,
      content,
      is_error: true,
      duration_ms: 3,
    });
  });
});

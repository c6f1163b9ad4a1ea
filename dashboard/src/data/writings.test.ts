import { describe, expect, it } from "vitest";
import { grownWritings, leftWritings, type Writing } from "./writings.ts";

const grown = (...events: readonly { readonly type: string; readonly [field: string]: unknown }[]) =>
  events.reduce<readonly Writing[]>(grownWritings, []);

const line = (event: { readonly type: string; readonly [field: string]: unknown }) => [{ event }];

describe("what is being written", () => {
  const main = { type: "text-delta", text: "I wri" };
  const inside = { type: "text-delta", text: "me too", parent_tool_use_id: "t1" };
  const both = grown(main, inside, { type: "text-delta", text: "te" });

  it("is kept by who writes it", () => {
    expect(both).toEqual([
      { kind: "text", text: "I write", tool: undefined, parent: undefined },
      { kind: "text", text: "me too", tool: undefined, parent: "t1" },
    ]);
    expect(grown(main, { type: "tool-input-delta", json: "{", tool: "Read" })).toEqual([
      { kind: "input", text: "{", tool: "Read", parent: undefined },
    ]);
  });

  it("is taken away by a line of who wrote it, and of nobody else", () => {
    const [own, other] = both;
    expect(leftWritings(both, line({ type: "text", text: "me too", parent_tool_use_id: "t1" }))).toEqual([own]);
    expect(leftWritings(both, line({ type: "text", text: "I write" }))).toEqual([other]);
    expect(leftWritings(both, line({ type: "tool-end", tool_use_id: "t9" }))).toEqual(both);
    expect(leftWritings(both, line({ type: "tool-end", tool_use_id: "t1" }))).toEqual([own]);
    expect(leftWritings(both, line({ type: "turn-end" }))).toEqual([]);
    expect(leftWritings(both, [])).toBe(both);
  });
});

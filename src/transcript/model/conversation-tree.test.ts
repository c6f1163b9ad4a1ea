import { describe, expect, it } from "vitest";
import { parseRecord, type TranscriptRecord } from "../records/transcript-record.ts";
import { conversationTree } from "./conversation-tree.ts";

const record = (raw: Readonly<Record<string, unknown>>): TranscriptRecord => parseRecord(raw).record;
const prompt = (uuid: string, parentUuid: string | null): TranscriptRecord =>
  record({ type: "user", uuid, parentUuid, message: { role: "user", content: uuid } });
const call = (uuid: string, parentUuid: string, tools: readonly string[], id = uuid): TranscriptRecord => {
  const content = tools.map((tool) => ({ type: "tool_use", id: tool, name: "Bash", input: {} }));
  return record({ type: "assistant", uuid, parentUuid, message: { id, content } });
};
const answer = (uuid: string, parentUuid: string): TranscriptRecord => call(uuid, parentUuid, []);
const result = (uuid: string, parentUuid: string, tool: string): TranscriptRecord =>
  record({ type: "user", uuid, parentUuid, message: { content: [{ type: "tool_result", tool_use_id: tool }] } });
const progress = (uuid: string, parentUuid: string): TranscriptRecord =>
  record({ type: "progress", uuid, parentUuid, data: { type: "bash_progress" } });

describe("conversationTree", () => {
  it("calls two prompts under one parent a branch, and nothing else", () => {
    const tree = conversationTree([
      prompt("p1", null),
      call("a1", "p1", ["t1"], "m"),
      call("a2", "a1", ["t2"], "m"),
      progress("x", "a1"),
      result("r1", "a1", "t1"),
      result("r2", "a2", "t2"),
      answer("a3", "r2"),
      prompt("p2", "a3"),
      answer("a4", "p2"),
      prompt("p3", "a3"),
      answer("a5", "p3"),
    ]);
    expect(tree.branches).toEqual([{ parentUuid: "a3", promptUuids: ["p2", "p3"] }]);
    expect(tree.leaves).toEqual(["a4", "a5"]);
    expect(tree.pathTo("a5")).toEqual(["p1", "a1", "a2", "r2", "a3", "p3", "a5"]);
    expect([tree.depthOf("p1"), tree.depthOf("a5"), tree.depthOf("x"), tree.maxDepth]).toEqual([1, 7, 2, 7]);
    expect(tree).toMatchObject({ roots: ["p1"], orphans: [], cycles: [], size: 11 });
  });

  it("goes back across a compaction, which names no parent, where it is asked to", () => {
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      uuid: "b",
      parentUuid: null,
      logicalParentUuid: "a1",
    };
    const tree = conversationTree([prompt("p1", null), answer("a1", "p1"), record(boundary), prompt("p2", "b")]);
    expect(tree.roots).toEqual(["p1", "b"]);
    expect(tree.leaves).toEqual(["p2"]);
    expect(tree.pathTo("p2")).toEqual(["b", "p2"]);
    expect(tree.pathTo("p2", { acrossCompaction: true })).toEqual(["p1", "a1", "b", "p2"]);
  });

  it("lists orphans and rings, and ends on them", () => {
    const tree = conversationTree([
      prompt("o", "gone"),
      answer("a", "o"),
      prompt("x", "y"),
      answer("y", "x"),
      answer("z", "y"),
    ]);
    expect(tree).toMatchObject({ roots: [], orphans: ["o"], maxDepth: 2 });
    expect(tree.cycles).toEqual([["x", "y"]]);
    expect(tree.pathTo("z")).toEqual(["x", "y", "z"]);
    expect(tree.depthOf("z")).toBe(0);
  });

  it("keeps the first of two records with one uuid, and takes a chain deeper than the stack", () => {
    const long = Array.from({ length: 50_000 }, (_, index) =>
      prompt(`u${index}`, index === 0 ? null : `u${index - 1}`),
    );
    const tree = conversationTree([...long, prompt("u0", "u49999")]);
    expect(tree).toMatchObject({ size: 50_000, maxDepth: 50_000, leaves: ["u49999"], cycles: [] });
  });
});

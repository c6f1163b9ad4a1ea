import { describe, expect, it } from "vitest";
import { timelineRows, type Entry } from "./entries.ts";
import { fromJournal } from "./from-journal.ts";
import { fromMessages } from "./from-messages.ts";
import { withWritings } from "./writing.ts";

const events = (...list: readonly { readonly type: string; readonly [field: string]: unknown }[]) =>
  list.map((event, place) => ({ line: place + 1, event: { timestamp: "2026-11-19T13:00:00Z", ...event } }));

const shape = (entries: readonly Entry[]): unknown =>
  entries.map((entry) => {
    if (entry.kind === "tool") return [entry.call.tool, shape(entry.inside)];
    return entry.kind === "usage"
      ? "usage"
      : entry.kind === "notice"
        ? `! ${entry.words}`
        : `${entry.kind} ${entry.text}`;
  });

const JOURNAL = events(
  { type: "run-start", prompt: "Mend it" },
  { type: "status", status: "requesting" },
  { type: "thinking", text: "Hm" },
  { type: "text", text: "I look" },
  { type: "tool-start", tool_use_id: "t1", tool: "Task", input: {} },
  { type: "text", text: "inside", parent_tool_use_id: "t1" },
  { type: "tool-start", tool_use_id: "t2", tool: "Read", input: {}, parent_tool_use_id: "t1" },
  { type: "tool-end", tool_use_id: "t2", tool: "Read", output: "x", is_error: true, is_denied: false, duration_ms: 5 },
  { type: "text", text: "lost", parent_tool_use_id: "gone" },
  { type: "usage", is_final: true, model: "m", usage: { input_tokens: 1, output_tokens: 2 } },
  { type: "error", error: { message: "Too busy" } },
);

describe("the timeline of a run", () => {
  it("has what was said and done, what sub-agents did within the call that they work for", () => {
    expect(shape(fromJournal(JOURNAL, false))).toEqual([
      "prompt Mend it",
      "thinking Hm",
      "text I look",
      ["Task", ["text inside", ["Read", []]]],
      "text lost",
      "usage",
      "! Too busy",
    ]);
  });

  it("knows what runs now, and that nothing does once it is over", () => {
    const running = (isOver: boolean) =>
      fromJournal(JOURNAL, isOver).flatMap((entry) => (entry.kind === "tool" ? [entry.call] : []));
    expect(running(false)[0]).toMatchObject({ isOpen: true, runsSince: "2026-11-19T13:00:00Z" });
    expect(running(true)[0]).toMatchObject({ isOpen: true, runsSince: undefined });
  });

  it("shows more from level to level, and failures at each", () => {
    const entries = fromJournal(JOURNAL, true);
    const rows = (level: Parameters<typeof timelineRows>[2]): unknown =>
      timelineRows(entries, [], level).map((row) => (row.type === "entry" ? row.entry.kind : row.type));
    expect(rows("conversation")).toEqual(["prompt", "text", "steps", "text", "notice"]);
    expect(rows("simple")).toEqual(["prompt", "text", "tool", "text", "notice"]);
    expect(rows("all")).toEqual(["prompt", "thinking", "text", "tool", "text", "usage", "notice"]);
  });

  it("ends with what is being written", () => {
    const writing = { kind: "text", text: "so far", tool: undefined, parent: undefined } as const;
    expect(withWritings([], [writing])).toMatchObject([{ kind: "text", text: "so far", isWriting: true }]);
    expect(withWritings([], [{ ...writing, text: "" }])).toEqual([]);
    const entries = fromJournal(JOURNAL, false);
    const inside = { ...writing, text: "within", parent: "t1" };
    const lost = { ...writing, text: "nowhere", parent: "gone" };
    expect(shape(withWritings(entries, [writing, inside, lost]))).toEqual([
      "prompt Mend it",
      "thinking Hm",
      "text I look",
      ["Task", ["text inside", ["Read", []], "text within"]],
      "text lost",
      "usage",
      "! Too busy",
      "text so far",
      "text nowhere",
    ]);
  });

  it("ends even where calls go in a circle", () => {
    const circle = events(
      { type: "tool-start", tool_use_id: "a", tool: "A", input: {}, parent_tool_use_id: "b" },
      { type: "tool-start", tool_use_id: "b", tool: "B", input: {}, parent_tool_use_id: "a" },
      { type: "tool-start", tool_use_id: "c", tool: "C", input: {}, parent_tool_use_id: "c" },
    );
    expect(shape(fromJournal(circle, true))).toEqual([["C", []]]);
  });

  // What took quadratic time would not end within the time that a test has.
  it("is made of a hundred thousand lines", () => {
    const many = events(
      ...Array.from({ length: 100_000 }, (_, place) => ({ type: "text", text: `${place}`, parent_tool_use_id: "x" })),
    );
    expect(fromJournal(many, true)).toHaveLength(100_000);
  });
});

it("makes the timeline of a recorded turn of its messages, with the calls as they were recorded", () => {
  const about = { timestamp: null, model: null };
  const call = (id: string, parent: string | null) => ({
    tool: id === "t1" ? "Task" : "Read",
    tool_use_id: id,
    started_at: "2026-11-19T13:00:00Z",
    duration_ms: 7,
    is_error: false,
    is_denied: id === "t2",
    is_open: false,
    parent_tool_use_id: parent,
    input: { file_path: "a" },
    output: "recorded",
  });
  const use = (id: string) => ({ type: "tool_use", id, name: "Task", input: {} });
  const entries = fromMessages(
    [
      { ...about, role: "user", subagent: null, content: [{ type: "text", text: "Mend it" }] },
      { ...about, role: "assistant", subagent: null, content: [{ type: "thinking", thinking: "Hm" }, use("t1")] },
      { ...about, role: "assistant", subagent: "agent", content: [{ type: "text", text: "inside" }, use("t2")] },
      { ...about, role: "user", subagent: null, content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }] },
    ],
    [call("t1", null), call("t2", "t1")],
  );
  expect(shape(entries)).toEqual(["prompt Mend it", "thinking Hm", ["Task", ["text inside", ["Read", []]]]]);
  expect(entries[2]).toMatchObject({ call: { output: "recorded", durationMs: 7 } });
});

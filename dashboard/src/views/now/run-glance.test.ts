import { expect, it } from "vitest";
import { glanceAt, glanceAtSearch } from "./run-glance.ts";

type Event = Parameters<typeof glanceAt>[0][number]["event"];

const lines = (...events: readonly Event[]) => events.map((event, place) => ({ line: place + 1, event }));

it("tells the call that runs, the last words, and tokens once for each response", () => {
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_tokens: 100, cache_write_tokens: 0 };
  const began = { type: "tool-start", tool: "Bash", tool_use_id: "a", input: { command: "ls" }, timestamp: "t1" };
  const told = lines(
    { type: "usage", message_id: "m", usage },
    { type: "thinking", text: "Hm" },
    { type: "text", text: "I look." },
    began,
    { ...began, tool: "Read", tool_use_id: "b", timestamp: "t2" },
    { type: "usage", message_id: "m", usage: { ...usage, output_tokens: 30 } },
    { type: "tool-end", tool_use_id: "b" },
  );
  expect(glanceAt(told)).toEqual({
    call: { tool: "Bash", input: { command: "ls" }, since: "t1" },
    words: { kind: "text", text: "I look." },
    tokens: 140,
    calls: 2,
    status: undefined,
  });
  expect(glanceAt(lines({ type: "status", status: "requesting" })).status).toBeUndefined();
  expect(glanceAt(lines({ type: "status", status: "api_retry", detail: "in 2 s" })).status).toBe("in 2 s");
});

it("tells how far a search is, its best branch, and what was paid for it", () => {
  const branch = { type: "branch-start", prompt: "One" };
  const end = { type: "branch-end", prompt: "One", cost_usd: 0.5, is_reused: false };
  const told = lines(
    branch,
    { ...branch, prompt: "Two" },
    branch,
    { ...end, reward: { value: 0.25 }, state_id: "s1" },
    { ...end, prompt: "Two", reward: { value: 0.75 }, state_id: "s2" },
    { ...end, type: "branch-failed", is_reused: true, reward: null },
  );
  expect(glanceAtSearch(told)).toEqual({
    started: 3,
    ended: 2,
    failed: 1,
    rewards: [0.25, 0.75],
    best: { reward: 0.75, prompt: "Two", stateId: "s2" },
    costUsd: 1,
    prompts: ["One", "Two"],
  });
});

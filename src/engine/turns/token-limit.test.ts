import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { expect, it } from "vitest";
import { createUsageMeter } from "../../core/index.ts";
import { systemClock, tokensOf } from "../../core/internal.ts";
import { eventBase } from "./message-events.ts";
import { createTokenLimit } from "./turn-limits.ts";
import { createUsageReader } from "./usage-events.ts";

/** Reads messages of the SDK; says how many tokens they have told of, and how often the limit was passed. */
function countUp(maxTokens: number): { read(message: object): void; tokens(): number; passed(): number } {
  const [reader, limit, meter] = [createUsageReader(), createTokenLimit(maxTokens), createUsageMeter()];
  let passed = 0;
  return {
    read(given) {
      const message = given as SDKMessage;
      const told = reader.read(message);
      if (!told) return;
      const event = { ...eventBase(message, systemClock), ...told };
      meter.read(event);
      if (limit(event)) passed += 1;
    },
    tokens: () => tokensOf(meter.spent()),
    passed: () => passed,
  };
}

function start(id: string, input: number, parent: string | null = null): object {
  const message = { id, model: "m", usage: { input_tokens: input, output_tokens: 1 } };
  return { type: "stream_event", parent_tool_use_id: parent, event: { type: "message_start", message } };
}

function end(output: number, reason: string, parent: string | null = null): object {
  const event = { type: "message_delta", usage: { output_tokens: output }, delta: { stop_reason: reason } };
  return { type: "stream_event", parent_tool_use_id: parent, event };
}

it("counts each response once, with its largest counts", () => {
  const count = countUp(1000);
  count.read(start("a", 100));
  const message = { id: "a", model: "m", usage: { input_tokens: 100, output_tokens: 1 } };
  count.read({ type: "assistant", parent_tool_use_id: null, message });
  count.read(end(20, "tool_use"));
  count.read(start("b", 10));
  expect([count.tokens(), count.passed()]).toEqual([131, 0]);
});

it("counts what is read from the cache and written to it", () => {
  const count = countUp(1000);
  const usage = { input_tokens: 1, cache_read_input_tokens: 20, cache_creation_input_tokens: 300, output_tokens: null };
  count.read({ type: "assistant", parent_tool_use_id: "tool-1", message: { id: "a", model: "m", usage } });
  expect(count.tokens()).toBe(321);
});

it("keeps a sub-agent's response apart from the one that waits for it", () => {
  const count = countUp(1000);
  count.read(start("main", 10));
  count.read(start("sub", 10, "tool-1"));
  count.read(end(50, "tool_use"));
  count.read(end(7, "end_turn", "tool-1"));
  expect(count.tokens()).toBe(77);
});

it("speaks up as soon as a response begins, or goes on to a tool, with as much as there is", () => {
  const [byInput, byOutput] = [countUp(100), countUp(111)];
  byInput.read(start("a", 99));
  byOutput.read(start("a", 99));
  expect([byInput.passed(), byOutput.passed()]).toEqual([1, 0]);
  byOutput.read(end(12, "tool_use"));
  expect(byOutput.passed()).toBe(1);
});

it("lets the last response of a turn through", () => {
  const count = countUp(110);
  count.read(start("a", 99));
  count.read(end(500, "end_turn"));
  count.read({ type: "stream_event", parent_tool_use_id: null, event: { type: "message_stop" } });
  expect([count.tokens(), count.passed()]).toEqual([599, 0]);
});

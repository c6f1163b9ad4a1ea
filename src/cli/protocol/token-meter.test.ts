import { expect, it } from "vitest";
import { createTokenMeter, type TokenMeter } from "./token-meter.ts";

/** A meter, and how often it has said that the tokens are used up. */
function meterOf(maxTokens: number): TokenMeter & { spent(): number } {
  let spent = 0;
  return { ...createTokenMeter(maxTokens, () => (spent += 1)), spent: () => spent };
}

function start(id: string, input: number, parent: string | null = null): unknown {
  const message = { id, usage: { input_tokens: input, output_tokens: 1 } };
  return { type: "stream_event", parent_tool_use_id: parent, event: { type: "message_start", message } };
}

function end(output: number, reason: string, parent: string | null = null): unknown {
  const event = { type: "message_delta", usage: { output_tokens: output }, delta: { stop_reason: reason } };
  return { type: "stream_event", parent_tool_use_id: parent, event };
}

it("counts each response once, with its largest counts", () => {
  const meter = meterOf(1000);
  meter.read(start("a", 100));
  meter.read({ type: "assistant", message: { id: "a", usage: { input_tokens: 100, output_tokens: 1 } } });
  meter.read(end(20, "tool_use"));
  meter.read(start("b", 10));
  expect([meter.tokens(), meter.spent()]).toEqual([131, 0]);
});

it("counts what is read from the cache and written to it", () => {
  const meter = meterOf(1000);
  const usage = { input_tokens: 1, cache_read_input_tokens: 20, cache_creation_input_tokens: 300, output_tokens: null };
  meter.read({ type: "assistant", message: { id: "a", usage } });
  expect(meter.tokens()).toBe(321);
});

it("keeps a sub-agent's response apart from the one that waits for it", () => {
  const meter = meterOf(1000);
  meter.read(start("main", 10));
  meter.read(start("sub", 10, "tool-1"));
  meter.read(end(50, "tool_use"));
  meter.read(end(7, "end_turn", "tool-1"));
  expect(meter.tokens()).toBe(77);
});

it("speaks up as soon as a response begins, or goes on to a tool, with more than there is", () => {
  const [byInput, byOutput] = [meterOf(99), meterOf(110)];
  byInput.read(start("a", 99));
  byOutput.read(start("a", 99));
  expect([byInput.spent(), byOutput.spent()]).toEqual([1, 0]);
  byOutput.read(end(12, "tool_use"));
  expect(byOutput.spent()).toBe(1);
});

it("lets the last response of a turn through", () => {
  const meter = meterOf(110);
  meter.read(start("a", 99));
  meter.read(end(500, "end_turn"));
  meter.read({ type: "stream_event", event: { type: "message_stop" } });
  expect([meter.tokens(), meter.spent()]).toEqual([599, 0]);
});

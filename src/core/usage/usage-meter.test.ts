import { expect, it } from "vitest";
import { failedResult, type SkeinEvent } from "../events/event.ts";
import { SkeinError } from "../errors.ts";
import { createUsageMeter } from "./usage-meter.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const timestamp = "2026-01-01T00:00:00.000Z";

function told(messageId: string, usage: Partial<Usage>, isFinal = false): SkeinEvent {
  return { type: "usage", timestamp, messageId, model: "claude-haiku-4-5", usage: { ...NO_USAGE, ...usage }, isFinal };
}

it("counts each response once, with its largest output, and its money by the price list", () => {
  const meter = createUsageMeter();
  meter.read(told("a", { inputTokens: 100, outputTokens: 1 }));
  meter.read(told("a", { inputTokens: 100, outputTokens: 20 }, true));
  meter.read(told("a", { inputTokens: 100, outputTokens: 1 }));
  meter.read(told("b", { inputTokens: 10, cacheReadTokens: 1_000_000 }));
  meter.read({ type: "text", timestamp, text: "of no account" });
  const usage = { inputTokens: 110, outputTokens: 20, cacheReadTokens: 1_000_000, cacheWriteTokens: 0 };
  expect(meter.spent()).toEqual({ ...usage, costUsd: 0.100_21, turns: 0, responses: 2 });
  expect(meter.byModel()).toEqual({ "claude-haiku-4-5": usage });
});

it("counts a turn that has ended by its result, in place of what was counted of it", () => {
  const meter = createUsageMeter();
  const failed = failedResult(new SkeinError("Cut off", { kind: "cancelled" }));
  const result = { ...failed, usage: { ...NO_USAGE, outputTokens: 7 }, costUsd: 0.5, responses: 3 };
  meter.read(told("a", { inputTokens: 100 }));
  meter.read({ type: "turn-end", timestamp, result });
  expect(meter.spent()).toEqual({ ...NO_USAGE, outputTokens: 7, costUsd: 0.5, turns: 1, responses: 3 });
  meter.read(told("b", { inputTokens: 5 }));
  expect(meter.spent()).toMatchObject({ inputTokens: 5, outputTokens: 7, turns: 1, responses: 4 });
});

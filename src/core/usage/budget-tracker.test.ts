import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { BudgetTracker } from "./budget-tracker.ts";
import { addUsage, NO_USAGE, tokensOf, type Usage } from "./usage.ts";

const tokens = (inputTokens: number, outputTokens = 0): Usage => ({ ...NO_USAGE, inputTokens, outputTokens });

describe("a budget tracker", () => {
  it("counts each message once, by what was recorded for it last", () => {
    const tracker = new BudgetTracker({ maxTokens: 1000 });
    tracker.record("msg_1", tokens(10, 1));
    tracker.record("msg_1", tokens(10, 40));
    tracker.record("msg_2", { ...tokens(5, 5), costUsd: 0.1 });
    tracker.record("msg_2", { ...tokens(5, 6), costUsd: 0.2 });
    expect(tracker.consumed).toEqual({ ...tokens(15, 46), tokens: 61, costUsd: 0.2, turns: 0, responses: 0 });
  });

  it("shows the tokens of the cache apart, and counts them as read and in the total", () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 30, cacheWriteTokens: 400 };
    const total = new BudgetTracker({ maxTokens: 433 });
    total.record("msg_1", usage);
    expect(total.consumed).toEqual({ ...usage, tokens: 433, costUsd: 0, turns: 0, responses: 0 });
    expect(total.exhausted()).toEqual({ dimension: "tokens", limit: 433, used: 433 });

    const input = new BudgetTracker({ maxInputTokens: 431 });
    input.record("msg_1", usage);
    expect(input.exhausted()).toEqual({ dimension: "input-tokens", limit: 431, used: 431 });
  });

  it("is exhausted when a limit is reached, in each dimension", () => {
    const output = new BudgetTracker({ maxOutputTokens: 10 });
    output.record("msg_1", tokens(0, 9));
    expect(output.exhausted()).toBeUndefined();
    output.record("msg_1", tokens(0, 10));
    expect(output.exhausted()).toEqual({ dimension: "output-tokens", limit: 10, used: 10 });

    const cost = new BudgetTracker({ maxCostUsd: 0.3 });
    cost.record("msg_1", { costUsd: 0.1 });
    cost.record("msg_2", { costUsd: 0.2 });
    expect(cost.exhausted()).toEqual({ dimension: "cost", limit: 0.3, used: 0.3 });
  });

  it("is exhausted at its deadline, which comes before all else", () => {
    const clock = createFakeClock(1000);
    const tracker = new BudgetTracker({ deadline: 1500, maxTokens: 1 }, clock);
    clock.advance(499);
    expect(tracker.exhausted()).toBeUndefined();
    tracker.record("msg_1", tokens(5));
    clock.advance(1);
    expect(tracker.exhausted()).toEqual({ dimension: "deadline", limit: 1500, used: 1500 });
  });

  it("checks the budget and the amounts that it is given", () => {
    expect(() => new BudgetTracker({})).toThrow(expect.objectContaining({ kind: "usage" }));
    const tracker = new BudgetTracker({ maxCostUsd: 1 });
    expect(() => tracker.record("msg_1", tokens(Number.NaN))).toThrow(expect.objectContaining({ target: "msg_1" }));
    expect(() => tracker.record("msg_1", { costUsd: -1 })).toThrow(expect.objectContaining({ target: "msg_1" }));
    expect(tracker.consumed.costUsd).toBe(0);
  });

  it("comes to the same sums in whatever order concurrent evaluations record", () => {
    const amount = fc.nat(1_000_000);
    const usage = fc.record({
      inputTokens: amount,
      outputTokens: amount,
      cacheReadTokens: amount,
      cacheWriteTokens: amount,
    });
    const messages = fc.uniqueArray(fc.tuple(fc.uuid(), usage, fc.nat(1_000_000)), { selector: ([id]) => id });
    fc.assert(
      fc.property(messages, fc.infiniteStream(fc.nat()), (recorded, order) => {
        const tracker = new BudgetTracker({ maxTokens: 1 });
        const shuffled = recorded.map((message) => ({ message, rank: order.next().value as number }));
        for (const { message } of shuffled.toSorted((left, right) => left.rank - right.rank)) {
          tracker.record(message[0], { ...message[1], costUsd: message[2] / 1_000_000 });
        }
        const sum = recorded.reduce((total, [, each]) => addUsage(total, each), NO_USAGE);
        const costUsd = recorded.reduce((total, [, , micro]) => total + micro, 0) / 1_000_000;
        expect(tracker.consumed).toEqual({ ...sum, tokens: tokensOf(sum), costUsd, turns: 0, responses: 0 });
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { BudgetTracker } from "./budget-tracker.ts";
import { NO_SPENDING, type Spending } from "./spending.ts";

const spending = (costUsd: number, responses = 1): Spending => ({ ...NO_SPENDING, costUsd, turns: 1, responses });

describe("turns that reserve of one budget", () => {
  it("lets the first turn run alone with everything, then as many as the largest so far allows", async () => {
    const budget = new BudgetTracker({ maxCostUsd: 5 });
    const first = await budget.reserve({ sharers: 4 });
    expect(first?.allowance).toEqual({ maxCostUsd: 5 });
    const second = budget.reserve({ sharers: 4 });
    budget.settle(first!, spending(1, 10));
    // One response, a tenth of a dollar, is kept back of each reservation.
    expect((await second)?.allowance).toEqual({ maxCostUsd: 1 });
    expect((await budget.reserve({ sharers: 1 }))?.allowance).toEqual({ maxCostUsd: 2.8 });
  });

  it("gives back what was not used", async () => {
    const budget = new BudgetTracker({ maxCostUsd: 4, perTurn: { maxCostUsd: 2 }, perResponse: { maxCostUsd: 0 } });
    const reservations = [await budget.reserve(), await budget.reserve()];
    const third = budget.reserve();
    budget.settle(reservations[0]!, spending(0.5));
    budget.settle(reservations[0]!, spending(0.5));
    budget.settle(reservations[1]!, spending(0.5));
    expect((await third)?.allowance).toEqual({ maxCostUsd: 2 });
    expect(budget.consumed).toMatchObject({ costUsd: 1, tokens: 0, turns: 2 });
  });

  it("runs nothing that what is left would not pay for", async () => {
    const budget = new BudgetTracker({ maxCostUsd: 2.5 });
    for (const cost of [1, 1]) budget.settle((await budget.reserve())!, spending(cost));
    expect(await budget.reserve()).toBeUndefined();
  });

  it("limits turns, tokens and time as well", async () => {
    const turns = new BudgetTracker({ maxTurns: 2 });
    const running = [await turns.reserve(), await turns.reserve()];
    const next = turns.reserve();
    for (const reservation of running) turns.settle(reservation!, spending(0));
    expect(await next).toBeUndefined();

    const tokens = new BudgetTracker({ maxTokens: 100 });
    const first = (await tokens.reserve())!;
    expect(first.allowance).toEqual({ maxTokens: 100 });
    tokens.settle(first, { ...spending(1, 3), inputTokens: 20, outputTokens: 100 });
    expect(await tokens.reserve()).toBeUndefined();

    const clock = createFakeClock(1000);
    const time = new BudgetTracker({ maxDurationMs: 50 }, clock);
    expect((await time.reserve())?.allowance).toEqual({ deadline: 1050 });
    clock.advance(50);
    expect(await time.reserve()).toBeUndefined();
  });

  it("stops waiting when the signal is aborted", async () => {
    const budget = new BudgetTracker({ maxCostUsd: 1 });
    await budget.reserve();
    const abort = new AbortController();
    const waiting = budget.reserve({ signal: abort.signal });
    abort.abort();
    expect(await waiting).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { createFakeClock, createMemoryEnvironment } from "../testing/index.ts";
import { createRandom } from "./random.ts";
import { createSearchBudget, type Spending } from "./search-budget.ts";
import { bestOfN } from "./strategies/best-of-n.ts";

const spending = (costUsd: number, messages = 1): Spending => ({ costUsd, tokens: 0, turns: 1, messages });
const prompts = Array.from({ length: 16 }, (_, index) => `prompt ${index}`);

describe("a search budget", () => {
  it("lets the first branch run alone with everything, then as many as the largest so far allows", async () => {
    const budget = createSearchBudget({ maxCostUsd: 5 });
    const first = await budget.reserve({ sharers: 4 });
    expect(first?.allowance).toEqual({ maxCostUsd: 5 });
    const second = budget.reserve({ sharers: 4 });
    budget.settle(first!, spending(1, 10));
    // One message, a tenth of a dollar, is kept back of each reservation.
    expect((await second)?.allowance).toEqual({ maxCostUsd: 1 });
    expect((await budget.reserve({ sharers: 1 }))?.allowance).toEqual({ maxCostUsd: 2.8 });
  });

  it("gives back what was not used", async () => {
    const budget = createSearchBudget({ maxCostUsd: 4, perBranch: { costUsd: 2 }, perMessage: { costUsd: 0 } });
    const reservations = [await budget.reserve(), await budget.reserve()];
    const third = budget.reserve();
    budget.settle(reservations[0]!, spending(0.5));
    budget.settle(reservations[0]!, spending(0.5));
    budget.settle(reservations[1]!, spending(0.5));
    expect((await third)?.allowance).toEqual({ maxCostUsd: 2 });
    expect(budget.spent()).toEqual({ costUsd: 1, tokens: 0, turns: 2 });
  });

  it("runs nothing that what is left would not pay for", async () => {
    const budget = createSearchBudget({ maxCostUsd: 2.5 });
    for (const cost of [1, 1]) budget.settle((await budget.reserve())!, spending(cost));
    expect(await budget.reserve()).toBeUndefined();
  });

  it("limits turns, tokens and time as well", async () => {
    const turns = createSearchBudget({ maxTurns: 2 });
    const running = [await turns.reserve(), await turns.reserve()];
    const next = turns.reserve();
    for (const reservation of running) turns.settle(reservation!, spending(0));
    expect(await next).toBeUndefined();

    const tokens = createSearchBudget({ maxTokens: 100 });
    const first = (await tokens.reserve())!;
    expect(first.allowance).toEqual({ maxTokens: 100 });
    tokens.settle(first, { costUsd: 1, tokens: 120, turns: 1, messages: 3 });
    expect(await tokens.reserve()).toBeUndefined();

    const clock = createFakeClock(1000);
    const time = createSearchBudget({ maxDurationMs: 50 }, clock);
    expect((await time.reserve())?.allowance).toEqual({ deadline: 1050 });
    clock.advance(50);
    expect(await time.reserve()).toBeUndefined();
  });

  it("stops waiting when the signal is aborted", async () => {
    const budget = createSearchBudget({ maxCostUsd: 1 });
    await budget.reserve();
    const abort = new AbortController();
    const waiting = budget.reserve({ signal: abort.signal });
    abort.abort();
    expect(await waiting).toBeUndefined();
  });
});

describe("16 parallel branches on a budget for 5", () => {
  it.each([
    ["one message each", [1], {}],
    ["ten messages each", Array.from({ length: 10 }, () => 0.1), {}],
    ["a given limit for each", [0.25, 0.25, 0.25, 0.25], { perBranch: { costUsd: 1 }, perMessage: { costUsd: 0.25 } }],
  ])("run five, with %s", async (_, costs, limits) => {
    const environment = createMemoryEnvironment({ start: "", step: (_world, prompt) => prompt, costs: () => costs });
    const budget = createSearchBudget({ maxCostUsd: 5, ...limits });
    const from = await environment.checkpoint();
    const result = await bestOfN(environment, { from, prompts, reward: () => 1, concurrency: 16, budget });
    expect(result).toMatchObject({ stopped: "budget", expansions: 5, costUsd: 5 });
    expect(budget.spent().costUsd).toBe(5);
  });

  it("never overspend by more than one message, when each wants more than those before it", async () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const random = createRandom(seed);
      const message = (): number => (8 + random.below(5)) / 100;
      const price = new Map(
        prompts.map((prompt, index) => [prompt, Array.from({ length: 2 + index + random.below(4) }, message)]),
      );
      const environment = createMemoryEnvironment({
        start: "",
        step: (_world, prompt) => prompt,
        costs: (_world, prompt) => price.get(prompt) ?? [],
      });
      const budget = createSearchBudget({ maxCostUsd: 5 });
      await bestOfN(environment, { from: await environment.checkpoint(), prompts, concurrency: 16, budget });
      expect(budget.spent().costUsd).toBeLessThanOrEqual(5.12);
      expect(budget.spent().costUsd).toBeGreaterThan(3);
    }
  });

  it("never overspend when all of them run into their limit", async () => {
    const costs = (): readonly number[] => Array.from({ length: 100 }, () => 0.3);
    const environment = createMemoryEnvironment({ start: "", step: (_world, prompt) => prompt, costs });
    const limits = { perBranch: { costUsd: 1 }, perMessage: { costUsd: 0.3 } };
    const budget = createSearchBudget({ maxCostUsd: 5, ...limits });
    const from = await environment.checkpoint();
    const result = await bestOfN(environment, { from, prompts, concurrency: 16, budget });
    expect(result).toMatchObject({ stopped: "budget", costUsd: 4.8, expansions: 4 });
  });
});

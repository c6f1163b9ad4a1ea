import { describe, expect, it } from "vitest";
import { BudgetTracker } from "../core/index.ts";
import { createMemoryEnvironment } from "../testing/index.ts";
import { createRandom } from "./random.ts";
import { bestOfN } from "./strategies/best-of-n.ts";

const prompts = Array.from({ length: 16 }, (_, index) => `prompt ${index}`);

describe("16 parallel branches on a budget for 5", () => {
  it.each([
    ["one message each", [1], {}],
    ["ten messages each", Array.from({ length: 10 }, () => 0.1), {}],
    [
      "a given limit for each",
      [0.25, 0.25, 0.25, 0.25],
      { perTurn: { maxCostUsd: 1 }, perResponse: { maxCostUsd: 0.25 } },
    ],
  ])("run five, with %s", async (_, costs, limits) => {
    const environment = createMemoryEnvironment({ start: "", step: (_world, prompt) => prompt, costs: () => costs });
    const budget = new BudgetTracker({ maxCostUsd: 5, ...limits });
    const from = await environment.checkpoint();
    const result = await bestOfN(environment, { from, prompts, reward: () => 1, concurrency: 16, budget });
    expect(result).toMatchObject({ stopped: "budget", expansions: 5, costUsd: 5 });
    expect(budget.consumed.costUsd).toBe(5);
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
      const budget = new BudgetTracker({ maxCostUsd: 5 });
      await bestOfN(environment, { from: await environment.checkpoint(), prompts, concurrency: 16, budget });
      expect(budget.consumed.costUsd).toBeLessThanOrEqual(5.12);
      expect(budget.consumed.costUsd).toBeGreaterThan(3);
    }
  });

  it("never overspend when all of them run into their limit", async () => {
    const costs = (): readonly number[] => Array.from({ length: 100 }, () => 0.3);
    const environment = createMemoryEnvironment({ start: "", step: (_world, prompt) => prompt, costs });
    const limits = { perTurn: { maxCostUsd: 1 }, perResponse: { maxCostUsd: 0.3 } };
    const budget = new BudgetTracker({ maxCostUsd: 5, ...limits });
    const from = await environment.checkpoint();
    const result = await bestOfN(environment, { from, prompts, concurrency: 16, budget });
    expect(result).toMatchObject({ stopped: "budget", costUsd: 4.8, expansions: 4 });
  });
});

import { describe, expect, it } from "vitest";
import { ENVIRONMENT_CONTRACT } from "./environment-contract.ts";
import { createFakeClock } from "./fake-clock.ts";
import { createMemoryEnvironment } from "./memory-environment.ts";

const words = {
  start: [] as readonly string[],
  step: (world: readonly string[], prompt: string) => [...world, prompt],
};

describe("the environment in memory", () => {
  it.each(ENVIRONMENT_CONTRACT)("$name", async ({ check }) => {
    const environment = createMemoryEnvironment(words);
    await check({ environment, prompts: ["left", "right"], look: async () => (await environment.checkpoint()).world });
  });

  it("stops after the message that reaches a limit, and says what it cost", async () => {
    const environment = createMemoryEnvironment({ ...words, costs: () => [0.2, 0.2, 0.2] });
    const start = await environment.checkpoint();
    const { state, transition } = await environment.exploreFrom(start, "left", { maxCostUsd: 0.3 });
    expect(state.world).toEqual([]);
    expect(transition.execution).toMatchObject({ isError: true, costUsd: 0.4, responses: 2 });
  });

  it("ends on abort with what it cost so far", async () => {
    const clock = createFakeClock();
    const environment = createMemoryEnvironment({ ...words, costs: () => [1, 1], delayMs: () => 10, clock });
    const abort = new AbortController();
    const explored = environment.exploreFrom(await environment.checkpoint(), "left", { signal: abort.signal });
    clock.advance(10);
    await new Promise(setImmediate);
    abort.abort();
    expect((await explored).transition.execution).toMatchObject({ isError: true, costUsd: 1, durationMs: 10 });
  });
});

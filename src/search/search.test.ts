import { describe, expect, it } from "vitest";
import { createFakeClock, createMemoryEnvironment, type MemoryEnvironment } from "../testing/index.ts";
import { type MemoryWorld } from "../testing/internal.ts";
import { pathTo, type SearchEvent } from "./search-result.ts";
import type { BranchWatch } from "./search-run.ts";
import { beamSearch } from "./strategies/beam-search.ts";
import { bestOfN } from "./strategies/best-of-n.ts";

type World = readonly string[];

function createWords(rules: Partial<MemoryWorld<World>> = {}): MemoryEnvironment<World> {
  return createMemoryEnvironment<World>({ start: [], step: (world, prompt) => [...world, prompt], ...rules });
}

async function collect<State, Step>(
  search: AsyncIterable<SearchEvent<State, Step>>,
): Promise<SearchEvent<State, Step>[]> {
  const events: SearchEvent<State, Step>[] = [];
  for await (const event of search) events.push(event);
  return events;
}

const lengthOfPrompt = ({ transition }: { readonly transition: { readonly prompt: string } }): number =>
  transition.prompt.length;

describe("a search", () => {
  it("gives its result when it is awaited", async () => {
    const environment = createWords();
    const from = await environment.checkpoint();
    const result = await bestOfN(environment, { from, prompts: ["a", "ccc", "bb"], reward: lengthOfPrompt });
    expect(result).toMatchObject({ expansions: 3, costUsd: 3, reusedCostUsd: 0, stopped: "exhausted" });
    expect(result.best).toMatchObject({ id: 2, prompt: "ccc", depth: 1, attempt: 1, reward: { value: 3, parts: {} } });
    expect(result.best?.state.world).toEqual(["ccc"]);
    expect(result.nodes.map(({ id, parentId }) => [id, parentId])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
  });

  it("prefers the cheaper way of those with equal rewards, every turn on it counted", async () => {
    const prices: Readonly<Record<string, number>> = { dear: 3, cheap: 1, first: 0.5, second: 0.4 };
    const environment = createWords({ costs: (_, prompt) => [prices[prompt] ?? 1] });
    const from = await environment.checkpoint();
    const reward = ({ state }: { readonly state: { readonly world: World } }): number =>
      state.world.join() === "first" ? 0 : 1;
    const best = async (...prompts: (string | string[])[]): Promise<string | undefined> =>
      (await bestOfN(environment, { from, prompts, reward })).best?.state.world.join();
    expect(await best("dear", "cheap")).toBe("cheap");
    expect(await best("cheap", ["first", "second"])).toBe("first,second");
    expect(await best("second", ["first", "second"])).toBe("second");
    expect(await best("cheap", "cheap")).toBe("cheap");
  });

  it("tells who watches which branches wait, and what happens on those that run", async () => {
    const environment = createWords();
    const told: string[] = [];
    const watch: BranchWatch = {
      queued: ({ id, prompt }) => void told.push(`queued ${id} ${prompt}`),
      happened: ({ id }, event) => void told.push(`${event.type} ${id}`),
    };
    await bestOfN(environment, { from: await environment.checkpoint(), prompts: ["a", "b"], watch });
    expect(told).toEqual(["queued 1 a", "queued 2 b"]);
  });

  it("gives its events when it is read, and the same result afterwards", async () => {
    const environment = createWords();
    const search = bestOfN(environment, {
      from: await environment.checkpoint(),
      prompts: ["a", "bb"],
      reward: lengthOfPrompt,
    });
    const events = await collect(search);
    expect(events.map(({ type }) => type)).toEqual([
      "search-start",
      "branch-start",
      "branch-end",
      "branch-start",
      "branch-end",
      "search-end",
    ]);
    expect(events.at(-1)).toEqual({ type: "search-end", result: await search });
    expect(environment.explored.length).toBe(2);
    await expect(collect(search)).rejects.toMatchObject({ kind: "usage" });
  });

  it("does nothing before somebody asks", async () => {
    const environment = createWords();
    bestOfN(environment, { from: await environment.checkpoint(), prompts: ["a"] });
    await new Promise(setImmediate);
    expect(environment.explored).toEqual([]);
  });

  it("counts runs of the same prompt, and follows several prompts as a path", async () => {
    const environment = createWords({ reward: (world) => world.length });
    const result = await bestOfN(environment, { from: await environment.checkpoint(), prompts: [["a", "b"]], n: 2 });
    expect(result.nodes.map(({ prompt, attempt, depth }) => [prompt, attempt, depth])).toEqual([
      ["a", 1, 1],
      ["a", 2, 1],
      ["b", 1, 2],
      ["b", 2, 2],
    ]);
    expect(pathTo(result.nodes, result.best!).map(({ prompt }) => prompt)).toEqual(["a", "b"]);
  });

  it("goes on when a branch fails or cannot be judged, and keeps both as nodes", async () => {
    const environment = createWords({
      step(world, prompt) {
        if (prompt === "broken") throw new Error("no branch today");
        return [...world, prompt];
      },
    });
    const reward = ({ transition: { prompt } }: { transition: { prompt: string } }): number => {
      if (prompt === "odd") throw new Error("cannot judge");
      return 1;
    };
    const search = bestOfN(environment, {
      from: await environment.checkpoint(),
      prompts: ["broken", "odd", "fine"],
      reward,
    });
    const events = await collect(search);
    expect(events.filter(({ type }) => type === "branch-failed").length).toBe(2);
    const { nodes, best, costUsd } = await search;
    expect(nodes).toMatchObject([
      { type: "failed", costUsd: 0, error: { kind: "runtime", message: "no branch today" } },
      { type: "failed", costUsd: 1, error: { kind: "runtime", message: "cannot judge" } },
      { type: "reached" },
    ]);
    expect([best?.prompt, costUsd]).toEqual(["fine", 2]);
  });

  it("does not count what the environment itself has explored before", async () => {
    const environment = createWords();
    const { exploreFrom } = environment;
    const known: typeof environment = {
      ...environment,
      exploreFrom: async (...call) => ({ ...(await exploreFrom(...call)), isReused: call[1] === "known" }),
    };
    const result = await bestOfN(known, { from: await known.checkpoint(), prompts: ["known", "new"] });
    expect(result).toMatchObject({ expansions: 1, costUsd: 1, reusedCostUsd: 1 });
  });

  it("ends at a reward that is good enough, and cancels what still runs", async () => {
    const clock = createFakeClock();
    const delayMs = (_: World, prompt: string): number => (prompt === "quick" ? 10 : 1000);
    const environment = createWords({ delayMs, clock, costs: () => [1, 1] });
    const search = bestOfN(environment, {
      from: await environment.checkpoint(),
      prompts: ["slow", "quick", "never"],
      reward: ({ transition }) => (transition.prompt === "quick" ? 1 : 0),
      threshold: 1,
      concurrency: 2,
    });
    const done = Promise.resolve(search);
    while (environment.running() < 2) await new Promise(setImmediate);
    for (let round = 0; round < 2; round += 1) {
      clock.advance(10);
      await new Promise(setImmediate);
    }
    const result = await done;
    expect(result).toMatchObject({ stopped: "threshold", best: { prompt: "quick" }, expansions: 2 });
    expect(result.nodes[0]).toMatchObject({ type: "failed", prompt: "slow", error: { kind: "cancelled" } });
    expect(environment.running()).toBe(0);
  });

  it("is cancelled by its signal, and by a reader who leaves", async () => {
    const environment = createWords();
    const from = await environment.checkpoint();
    const abort = new AbortController();
    const aborted = bestOfN(environment, { from, prompts: ["a", "b", "c"], signal: abort.signal });
    for await (const event of aborted) if (event.type === "branch-end") abort.abort();
    expect(await aborted).toMatchObject({ stopped: "cancelled" });
    expect(await bestOfN(environment, { from, prompts: ["a"], signal: abort.signal })).toMatchObject({ expansions: 0 });

    const left = bestOfN(environment, { from, prompts: ["a", "b", "c"], reward: () => 1 });
    for await (const event of left) if (event.type === "branch-end") break;
    const result = await left;
    expect(result).toMatchObject({ stopped: "cancelled", best: { prompt: "a" } });
    expect(environment.running()).toBe(0);
  });

  it("fails as a whole when the caller's own functions do, after the running branches have ended", async () => {
    const environment = createWords();
    const search = beamSearch(environment, {
      from: await environment.checkpoint(),
      width: 2,
      depth: 3,
      expand({ depth }) {
        if (depth === 1) throw new Error("no idea");
        return ["a", "b"];
      },
    });
    await expect(Promise.resolve(search)).rejects.toThrow("no idea");
    expect(environment.running()).toBe(0);
  });

  it("refuses a concurrency that lets nothing run", async () => {
    const environment = createWords();
    const options = { from: await environment.checkpoint(), prompts: ["a"], concurrency: 0 };
    await expect(Promise.resolve(bestOfN(environment, options))).rejects.toMatchObject({ target: "concurrency" });
  });

  it("runs as many branches at once as it may, and gives the same result for any number", async () => {
    const run = async (concurrency: number): Promise<[number, string]> => {
      let most = 0;
      const environment: MemoryEnvironment<World> = createWords({
        costs: () => [1, 1, 1],
        reward(world) {
          most = Math.max(most, environment.running());
          return world.join("").length;
        },
      });
      const expand = (): readonly string[] => ["a", "bb", "c"];
      const from = await environment.checkpoint();
      const result = await beamSearch(environment, { from, expand, width: 2, depth: 3, concurrency });
      return [most, JSON.stringify(result)];
    };
    const [alone, together] = [await run(1), await run(4)];
    expect([alone[0], together[0]]).toEqual([1, 4]);
    expect(together[1]).toBe(alone[1]);
  });
});

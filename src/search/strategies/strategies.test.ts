import { describe, expect, it } from "vitest";
import {
  createMemoryEnvironment,
  type MemoryEnvironment,
  type MemoryState,
  type MemoryStep,
} from "../../testing/index.ts";
import { createRandom } from "../random.ts";
import type { SearchEvent } from "../search-result.ts";
import type { Search } from "../search.ts";
import { beamSearch } from "./beam-search.ts";
import { bestOfN } from "./best-of-n.ts";
import { evolve } from "./evolve.ts";
import { mcts } from "./mcts.ts";
import { refine } from "./refine.ts";

type World = readonly string[];
type State = MemoryState<World>;

/** Three prompts, and a reward for every path that the seed decides; now and then a branch fails. */
function randomTree(seed: number): MemoryEnvironment<World> {
  const noise = (world: World): number =>
    createRandom(seed + world.join("").length * 31 + Number.parseInt(world.join(""), 36)).next();
  return createMemoryEnvironment<World>({
    start: [],
    step(world, prompt) {
      if (noise([...world, prompt, "z"]) < 0.1) throw new Error("no luck");
      return [...world, prompt];
    },
    reward: noise,
  });
}

const expand = (): readonly string[] => ["a", "b", "c"];

const searches: Record<
  string,
  (environment: MemoryEnvironment<World>, from: State, seed: number) => Search<State, MemoryStep>
> = {
  bestOfN: (environment, from, seed) => bestOfN(environment, { from, seed, prompts: ["a", ["b", "c"]], n: 3 }),
  beamSearch: (environment, from, seed) => beamSearch(environment, { from, seed, expand, width: 2, depth: 3 }),
  mcts: (environment, from, seed) =>
    mcts(environment, { from, seed, expand, depth: 4, rolloutDepth: 2, iterations: 15 }),
  refine: (environment, from, seed) =>
    refine(environment, { from, seed, prompt: "a", feedback: ({ reward }) => (reward!.value > 0.7 ? undefined : "b") }),
  evolve: (environment, from, seed) =>
    evolve(environment, {
      from,
      seed,
      prompts: expand(),
      generations: 4,
      mutate: (_, random) => expand()[random.below(3)]!,
    }),
};

async function eventsOf(name: string, seed: number): Promise<readonly SearchEvent<State, MemoryStep>[]> {
  const environment = randomTree(seed);
  const events: SearchEvent<State, MemoryStep>[] = [];
  for await (const event of searches[name]!(environment, await environment.checkpoint(), seed)) events.push(event);
  return events;
}

describe.each(Object.keys(searches))("%s", (name) => {
  it("gives equal events for equal seeds, over 20 of them", async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const events = await eventsOf(name, seed);
      expect(JSON.stringify(await eventsOf(name, seed))).toBe(JSON.stringify(events));
      expect([events[0]?.type, events.at(-1)?.type]).toEqual(["search-start", "search-end"]);
    }
  });
});

describe("beamSearch", () => {
  it("goes on from the best of each level, and ends where nothing can be tried", async () => {
    const environment = createMemoryEnvironment<World>({
      start: [],
      step: (world, prompt) => [...world, prompt],
      reward: (world) => world.filter((prompt) => prompt === "b").length,
    });
    const search = beamSearch(environment, {
      from: await environment.checkpoint(),
      expand: ({ depth }) => (depth < 3 ? ["a", "b"] : []),
      width: 1,
      depth: 10,
    });
    const selected: number[] = [];
    for await (const event of search) if (event.type === "node-selected") selected.push(event.depth);
    expect(selected).toEqual([0, 1, 2, 3]);
    expect((await search).best?.state.world).toEqual(["b", "b", "b"]);
    expect((await search).expansions).toBe(6);
  });
});

describe("mcts", () => {
  const tree = (): MemoryEnvironment<World> =>
    createMemoryEnvironment<World>({
      start: [],
      step: (world, prompt) => [...world, prompt],
      reward: (world) => (world.join("") === "cba" ? 1 : 0),
    });

  it("explores every node once and ends by itself when nothing is left", async () => {
    const environment = tree();
    const from = await environment.checkpoint();
    const result = await mcts(environment, { from, expand, depth: 3, rolloutDepth: 3, iterations: 1000 });
    expect(result).toMatchObject({ stopped: "exhausted", expansions: 3 + 9 + 27, best: { reward: { value: 1 } } });
    expect(new Set(environment.explored.map((place) => place.join(" "))).size).toBe(39);
  });

  it("does so with several visits at once too, and gets over branches that fail", async () => {
    for (const concurrency of [1, 4]) {
      const environment = createMemoryEnvironment<World>({
        start: [],
        step(world, prompt) {
          if (world.length === 1 && prompt === "b") throw new Error("no luck");
          return [...world, prompt];
        },
        costs: () => [1, 1, 1],
        reward: (world) => world.length,
      });
      const from = await environment.checkpoint();
      const result = await mcts(environment, {
        from,
        expand,
        depth: 3,
        rolloutDepth: 1,
        iterations: 1000,
        concurrency,
      });
      expect(result).toMatchObject({ stopped: "exhausted", expansions: 3 + 9 + 6 * 3 });
      expect(result.nodes.filter(({ type }) => type === "failed").length).toBe(3);
    }
  });

  it("fails when the caller's own function does, with visits under way too", async () => {
    const environment = tree();
    const options = { from: await environment.checkpoint(), depth: 3, iterations: 50, concurrency: 3 };
    const search = mcts(environment, {
      ...options,
      expand({ depth, prompt }) {
        if (depth === 1 && prompt === "b") throw new Error("no idea");
        return ["a", "b"];
      },
    });
    await expect(Promise.resolve(search)).rejects.toThrow("no idea");
    expect(environment.running()).toBe(0);
  });

  it("goes to the first of equal children while no visit has ended yet", async () => {
    const environment = tree();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const search = mcts(environment, {
      from: await environment.checkpoint(),
      expand,
      depth: 3,
      rolloutDepth: 1,
      iterations: 4,
      concurrency: 3,
      widening: { factor: 3, exponent: 1 },
      async reward({ state }) {
        // The first two go on below; the third fails, so that a fourth visit has to choose between them.
        if (state.world.length > 1) await released;
        if (state.world.join("") !== "c") return 0;
        await new Promise(setImmediate);
        throw new Error("no luck");
      },
    });
    const selected: number[] = [];
    for await (const event of search) {
      if (event.type !== "node-selected") continue;
      selected.push(event.id);
      if (selected.length === 4) release();
    }
    expect(selected).toEqual([0, 0, 0, 1]);
  });

  it("widens as visits come: the most promising prompts are tried first", async () => {
    const environment = tree();
    const options = { from: await environment.checkpoint(), depth: 1, widening: { factor: 1, exponent: 0.5 } };
    const prompts = Array.from({ length: 100 }, (_, index) => `prompt ${index}`);
    const result = await mcts(environment, { ...options, expand: () => prompts, iterations: 7 });
    expect(result.nodes.map(({ prompt }) => prompt)).toEqual(prompts.slice(0, 7));
  });
});

describe("refine", () => {
  const words = (): MemoryEnvironment<World> =>
    createMemoryEnvironment<World>({
      start: [],
      step(world, prompt, attempt) {
        if (prompt === "flaky" && attempt === 1) throw new Error("no luck");
        return [...world, prompt];
      },
    });

  it("asks with feedback until it is accepted", async () => {
    const environment = words();
    const answers = ["flaky", "better", undefined];
    const result = await refine(environment, {
      from: await environment.checkpoint(),
      prompt: "first",
      feedback: () => answers.shift(),
    });
    expect(result).toMatchObject({ stopped: "solved", expansions: 4 });
    expect(result.best?.state.world).toEqual(["first", "flaky", "better"]);
  });

  it("gives up after its rounds", async () => {
    const environment = words();
    const options = { from: await environment.checkpoint(), prompt: "first", feedback: () => "again", rounds: 3 };
    expect(await refine(environment, options)).toMatchObject({ stopped: "exhausted", expansions: 3 });
  });
});

describe("evolve", () => {
  it("gets better from generation to generation, and never loses its best", async () => {
    const environment = createMemoryEnvironment<number>({
      start: 0,
      step: (world, prompt) => world + Number(prompt),
      reward: (world) => -Math.abs(40 - world),
    });
    const search = evolve(environment, {
      from: await environment.checkpoint(),
      prompts: ["1", "2", "3", "-4"],
      generations: 30,
      mutate: (_, random) => String(random.below(13) - 4),
      seed: 5,
      threshold: 0,
    });
    const best: number[] = [];
    const values = new Map<number, number>();
    for await (const event of search) {
      if (event.type === "branch-end") values.set(event.node.id, event.node.reward!.value);
      if (event.type === "generation-end") best.push(values.get(event.survivors[0]!)!);
    }
    expect(best).toEqual(best.toSorted((left, right) => left - right));
    expect(await search).toMatchObject({ stopped: "threshold", best: { state: { world: 40 } } });
  });
});

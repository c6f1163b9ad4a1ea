import { describe, expect, it } from "vitest";
import { BudgetTracker } from "../core/index.ts";
import { createMemoryEnvironment, type MemoryEnvironment, type MemoryState } from "../testing/index.ts";
import { createRandom } from "./random.ts";
import type { SearchOptions } from "./search-run.ts";
import type { Search } from "./search.ts";
import { beamSearch } from "./strategies/beam-search.ts";
import { bestOfN } from "./strategies/best-of-n.ts";
import { mcts } from "./strategies/mcts.ts";

/*
 * The tree: four prompts at every node, four turns deep, so 256 leaves, of which one is worth 1. It is deceptive: one false
 * first prompt looks best by far (0.8 to 0.9), and all that is below it comes to nothing at the end (below 0.3). The nodes on
 * the way to the optimum look middling (0.5 to 0.6), the others like anything below 0.6. A leaf is worth the more the longer it
 * kept to that way (0.175 a turn, and noise below 0.2). Who is greedy is led astray in every seed.
 */
const PROMPTS = ["a", "b", "c", "d"];
const DEPTH = 4;
const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);
/** Who has not found the optimum by then has failed; it counts as this many. */
const MAX_EXPANSIONS = 240;

type World = readonly string[];
type Find = (
  environment: MemoryEnvironment<World>,
  options: SearchOptions<MemoryState<World>, unknown>,
) => Search<unknown, unknown>;

function deceptiveTree(seed: number): MemoryEnvironment<World> {
  const random = createRandom(seed * 7919 + 1);
  const way = Array.from({ length: DEPTH }, () => PROMPTS[random.below(PROMPTS.length)]);
  const decoy = random.shuffle(PROMPTS.filter((prompt) => prompt !== way[0]))[0];
  return createMemoryEnvironment<World>({
    start: [],
    step: (world, prompt) => [...world, prompt],
    reward(world) {
      const place = world.reduce((sum, prompt) => sum * 5 + PROMPTS.indexOf(prompt) + 1, 0);
      const noise = createRandom(seed * 1_000_003 + place).next();
      const strayed = way.findIndex((prompt, depth) => world[depth] !== prompt);
      if (strayed === -1) return 1;
      if (world.length === DEPTH) return world[0] === decoy ? 0.3 * noise : 0.175 * strayed + 0.2 * noise;
      if (world.length === 1 && world[0] === decoy) return 0.8 + 0.1 * noise;
      return strayed === world.length ? 0.5 + 0.1 * noise : 0.6 * noise;
    },
  });
}

const beam =
  (width: number): Find =>
  (environment, options) =>
    beamSearch(environment, { ...options, expand: () => PROMPTS, width, depth: DEPTH });

const treeSearch: Find = (environment, options) =>
  mcts(environment, { ...options, expand: () => PROMPTS, depth: DEPTH, rolloutDepth: DEPTH, iterations: 1000 });

const randomPaths: Find = (environment, options) => {
  const random = createRandom(options.seed ?? 0);
  const path = (): readonly string[] => Array.from({ length: DEPTH }, () => PROMPTS[random.below(PROMPTS.length)]!);
  return bestOfN(environment, { ...options, prompts: Array.from({ length: MAX_EXPANSIONS / DEPTH }, path) });
};

/** How many of the seeds are solved, and the median of the expansions that it takes. */
async function measure(find: Find): Promise<{ readonly solved: number; readonly median: number }> {
  const expansions: number[] = [];
  for (const seed of SEEDS) {
    const environment = deceptiveTree(seed);
    const budget = new BudgetTracker({ maxTurns: MAX_EXPANSIONS });
    const result = await find(environment, { from: await environment.checkpoint(), threshold: 1, seed, budget });
    expansions.push(result.stopped === "threshold" ? result.expansions : Number.POSITIVE_INFINITY);
  }
  const solved = expansions.filter(Number.isFinite).length;
  const sorted = expansions.map((count) => Math.min(count, MAX_EXPANSIONS)).toSorted((left, right) => left - right);
  return { solved, median: sorted[SEEDS.length / 2]! };
}

describe("on 200 deceptive trees", () => {
  it("a greedy search finds no optimum", async () => {
    expect(await measure(beam(1))).toEqual({ solved: 0, median: MAX_EXPANSIONS });
  });

  it("beam search and tree search find it, with fewer expansions than the best of random paths", async () => {
    const sampled = await measure(randomPaths);
    const beamed = await measure(beam(4));
    const searched = await measure(treeSearch);
    // As measured: sampled 42 of 200, beamed 181 with a median of 43, searched 200 with a median of 111.
    expect(sampled.solved).toBeLessThan(60);
    expect(beamed.solved).toBeGreaterThan(160);
    expect(beamed.median).toBeLessThan(60);
    expect(searched.solved).toBeGreaterThan(190);
    expect(searched.median).toBeLessThan(140);
    expect(sampled.median).toBe(MAX_EXPANSIONS);
  });
});

import type { Environment, StepOutcome } from "../environment.ts";
import type { Random } from "../random.ts";
import { byReward, isReached, type ReachedNode } from "../search-result.ts";
import { SearchRun, type SearchOptions } from "../search-run.ts";
import { createSearch, type Search } from "../search.ts";

/** How a population lives. */
export interface EvolveOptions<State, Step> extends SearchOptions<State, Step> {
  /** The first generation: each prompt is run from the beginning. */
  readonly prompts: readonly string[];
  /** Gives the prompt that makes a child of a parent: it is run from the parent's state. */
  readonly mutate: (parent: ReachedNode<State, Step>, random: Random) => string | Promise<string>;
  /** Generations after the first. */
  readonly generations: number;
  /** How many survive a generation; as many as there are first prompts by default. */
  readonly size?: number;
  /** How many of the best survive whatever their children are like; 1 by default. */
  readonly elite?: number;
  /** How many draw lots to be a parent, of whom the best is it; 2 by default. */
  readonly tournament?: number;
}

/**
 * Lets a population of states grow better: the better ones get children, each by a prompt run from its parent's state, and
 * the best survive. Without a threshold or a budget the result does not depend on the concurrency.
 */
export function evolve<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  options: EvolveOptions<State, Step>,
): Search<State, Step> {
  const { prompts, mutate, generations, size = prompts.length, elite = 1, tournament = 2 } = options;
  const run = new SearchRun("evolve", environment, options);
  return createSearch(run, async () => {
    let population = (await run.exploreAll(run.root, prompts)).toSorted(byReward).slice(0, size);
    for (let generation = 1; generation <= generations && !run.isStopped; generation += 1) {
      if (population.length === 0) return;
      const parents = Array.from({ length: size }, () => select(population, tournament, run.random));
      const wishes: (readonly [ReachedNode<State, Step>, string])[] = [];
      // One after another: what `mutate` draws must not depend on who is faster.
      for (const parent of parents) wishes.push([parent, await mutate(parent, run.random)]);
      const children = await Promise.all(wishes.map(([parent, prompt]) => run.explore(parent, prompt)));
      const survivors = [...population.slice(0, elite), ...children.filter(isReached)].toSorted(byReward);
      // A generation in which every branch failed is lost, not the population.
      population = survivors.length > elite ? survivors.slice(0, size) : population;
      await run.emit({ type: "generation-end", generation, survivors: population.map(({ id }) => id) });
    }
  });
}

/** The best of a few that are drawn at random: the population is sorted, so the first of them. */
function select<Node>(population: readonly Node[], tournament: number, random: Random): Node {
  const drawn = Array.from({ length: Math.max(1, tournament) }, () => random.below(population.length));
  return population[Math.min(...drawn)]!;
}

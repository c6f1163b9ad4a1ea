import type { Environment, StepOutcome } from "../environment.ts";
import { byReward, type ReachedNode } from "../search-result.ts";
import { SearchRun, type Expand, type SearchOptions } from "../search-run.ts";
import { createSearch, type Search } from "../search.ts";

/** How wide and deep is looked. */
export interface BeamSearchOptions<State, Step> extends SearchOptions<State, Step> {
  readonly expand: Expand<State, Step>;
  /** How many nodes of a level are gone on from. */
  readonly width: number;
  /** How many levels there are. */
  readonly depth: number;
}

/**
 * Goes on from the best nodes of every level. Without a threshold or a budget the result does not depend on the
 * concurrency: a level is complete before the next begins.
 */
export function beamSearch<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  options: BeamSearchOptions<State, Step>,
): Search<State, Step> {
  const { expand, width, depth } = options;
  const run = new SearchRun("beam-search", environment, options);
  return createSearch(run, async () => {
    let beam: readonly ReachedNode<State, Step>[] = [run.root];
    for (let level = 0; level < depth && beam.length > 0 && !run.isStopped; level += 1) {
      for (const { id, depth: at } of beam) await run.emit({ type: "node-selected", id, depth: at });
      const plans = await Promise.all(beam.map(async (node) => ({ node, prompts: await expand(node) })));
      const levels = await Promise.all(plans.map(({ node, prompts }) => run.exploreAll(node, prompts)));
      beam = levels.flat().toSorted(byReward).slice(0, width);
    }
  });
}

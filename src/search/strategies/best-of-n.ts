import type { Environment, StepOutcome } from "../environment.ts";
import { isReached, type SearchNode } from "../search-result.ts";
import { SearchRun, type SearchOptions } from "../search-run.ts";
import { createSearch, type Search } from "../search.ts";

/** What is tried side by side. */
export interface BestOfNOptions<State, Step> extends SearchOptions<State, Step> {
  /** The candidates: a prompt each, or prompts that are run one after another. */
  readonly prompts: readonly (string | readonly string[])[];
  /** How often each candidate is tried; once by default. */
  readonly n?: number;
}

/**
 * Tries every candidate from the same state, and keeps the best. Without a threshold or a budget the result does not
 * depend on the concurrency.
 */
export function bestOfN<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  options: BestOfNOptions<State, Step>,
): Search<State, Step> {
  const { prompts, n = 1 } = options;
  const run = new SearchRun("best-of-n", environment, options);
  return createSearch(run, async () => {
    const follow = async (candidate: string | readonly string[]): Promise<void> => {
      let node: SearchNode<State, Step> | undefined = run.root;
      for (const prompt of [candidate].flat()) if (isReached(node)) node = await run.explore(node, prompt);
    };
    await Promise.all(Array.from({ length: n }, () => prompts.map(follow)).flat());
  });
}

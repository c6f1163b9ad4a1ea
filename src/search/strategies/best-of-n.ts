import type { Environment, StepOutcome } from "../environment.ts";
import type { SearchOptions } from "../search-options.ts";
import { isReached, type ReachedNode } from "../search-result.ts";
import type { SearchRun } from "../search-run.ts";
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
  return createSearch({ name: "best-of-n", environment, options }, async (run) => {
    const candidates = Array.from({ length: n }, () => prompts).flat();
    await Promise.all(candidates.map((candidate) => follow(run, [candidate].flat())));
  });
}

/** Runs prompts one after another, as far as they lead. */
async function follow<State, Step extends StepOutcome>(
  run: SearchRun<State, Step>,
  prompts: readonly string[],
): Promise<void> {
  let node: ReachedNode<State, Step> = run.root;
  for (const prompt of prompts) {
    const next = await run.explore(node, prompt);
    if (!isReached(next)) return;
    node = next;
  }
}

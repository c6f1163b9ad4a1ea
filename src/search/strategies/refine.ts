import type { Environment, StepOutcome } from "../environment.ts";
import { isReached, type ReachedNode } from "../search-result.ts";
import { SearchRun, type SearchOptions } from "../search-run.ts";
import { createSearch, type Search } from "../search.ts";

/** What is asked for, and who says whether it is good. */
export interface RefineOptions<State, Step> extends SearchOptions<State, Step> {
  /** The first prompt. */
  readonly prompt: string;
  /** Gives the next prompt, which is run from this node; nothing when the node is accepted. */
  readonly feedback: (node: ReachedNode<State, Step>) => string | undefined | Promise<string | undefined>;
  /** How many prompts are run at most; 5 by default. */
  readonly rounds?: number;
}

/**
 * Asks, looks, and asks again with feedback, until it is accepted: then the result is `solved`, and `best` the accepted
 * node. A round whose branch failed is repeated from the same node. One branch runs at a time.
 */
export function refine<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  options: RefineOptions<State, Step>,
): Search<State, Step> {
  const { feedback, rounds = 5 } = options;
  const run = new SearchRun("refine", environment, options);
  return createSearch(run, async () => {
    let node: ReachedNode<State, Step> = run.root;
    let prompt: string | undefined = options.prompt;
    for (let round = 0; round < rounds && !run.isStopped; round += 1) {
      await run.emit({ type: "node-selected", id: node.id, depth: node.depth });
      const next = await run.explore(node, prompt);
      if (!isReached(next)) continue;
      node = next;
      prompt = await feedback(node);
      if (prompt === undefined) return run.solve(node);
    }
  });
}

import { defined, tokensOf, toSkeinError, type SkeinError } from "../core/internal.ts";
import type { Environment, Exploration, ExploreOptions, StepOutcome, Judge } from "./environment.ts";
import { toReward, type RewardFunction } from "./rewards/reward.ts";
import { NOTHING_SPENT, type BranchPlace, type ReachedNode, type SearchNode } from "./search-result.ts";

interface BranchPlan<State> {
  readonly from: State;
  readonly place: BranchPlace;
}

interface BranchOptions<State, Step> extends Omit<ExploreOptions<State, Step>, "judge"> {
  readonly signal: AbortSignal;
  readonly reward?: RewardFunction<State, Step> | undefined;
}

/** Explores, and gives the node that came of it: a failure is one too. */
export async function runBranch<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  { from, place }: BranchPlan<State>,
  { reward, ...options }: BranchOptions<State, Step>,
): Promise<SearchNode<State, Step>> {
  const { signal } = options;
  let failure: SkeinError | undefined;
  const judge: Judge<State, Step> = async (exploration, context) => {
    try {
      return reward && toReward(await reward(exploration, context));
    } catch (error) {
      failure = toSkeinError(error);
      return undefined;
    }
  };
  try {
    const explored = await environment.exploreFrom(from, place.prompt, { ...options, ...(reward ? { judge } : {}) });
    if (signal.aborted && explored.transition.execution.isError) failure ??= toSkeinError(signal.reason);
    const node = reachedNode(place, explored);
    if (failure === undefined) return node;
    const { reward: _, ...parts } = node;
    return { ...parts, type: "failed", error: failure.toJSON() };
  } catch (error) {
    return { ...place, ...NOTHING_SPENT, type: "failed", error: toSkeinError(error).toJSON() };
  }
}

export function reachedNode<State, Step extends StepOutcome>(
  place: BranchPlace,
  { state, transition, reward, isReused = false }: Exploration<State, Step>,
): ReachedNode<State, Step> {
  const { costUsd, usage, durationMs } = transition.execution;
  const amounts = { costUsd, tokens: tokensOf(usage), durationMs };
  return { ...place, type: "reached", state, transition, ...defined({ reward }), ...amounts, isReused };
}

import { NO_SPENDING, spendingOf, tokensOf, toSkeinError, type SkeinError, type Spending } from "../core/index.ts";
import type { Environment, Exploration, ExploreOptions, StepOutcome, Judge } from "./environment.ts";
import { toReward, type RewardFunction } from "./rewards/reward.ts";
import type { ExplorationKey } from "./search-journal.ts";
import type { ReachedNode, SearchNode } from "./search-result.ts";

/** What is to be explored, and as which node. */
export interface BranchPlan<State, Step> {
  readonly id: number;
  readonly parent: ReachedNode<State, Step>;
  readonly key: ExplorationKey;
}

/** What holds for a branch. */
export interface BranchOptions<State, Step> extends Omit<ExploreOptions<State, Step>, "judge"> {
  readonly signal: AbortSignal;
  readonly reward?: RewardFunction<State, Step> | undefined;
}

/** Explores, and gives the node that came of it: a failure is one too. */
export async function runBranch<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  plan: BranchPlan<State, Step>,
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
    const explored = await environment.exploreFrom(plan.parent.state, plan.key.prompt, {
      ...options,
      ...(reward ? { judge } : {}),
    });
    if (signal.aborted && explored.transition.execution.isError) failure ??= toSkeinError(signal.reason);
    const node = reachedNode(plan, explored);
    if (failure === undefined) return node;
    const { reward: _, ...parts } = node;
    return { ...parts, type: "failed", error: failure.toJSON() };
  } catch (error) {
    const place = placeOf(plan);
    return { ...place, ...NOTHING, type: "failed", error: toSkeinError(error).toJSON(), isReused: false };
  }
}

/** The node of an exploration that led to a state. */
export function reachedNode<State, Step extends StepOutcome>(
  plan: BranchPlan<State, Step>,
  { state, transition, reward, isReused = false }: Exploration<State, Step>,
): ReachedNode<State, Step> {
  const { costUsd, usage, durationMs } = transition.execution;
  const amounts = { costUsd, tokens: tokensOf(usage), durationMs };
  return { ...placeOf(plan), type: "reached", state, transition, ...(reward ? { reward } : {}), ...amounts, isReused };
}

/** What an exploration has used up of a budget. */
export function spentOn<State, Step extends StepOutcome>({ transition }: SearchNode<State, Step>): Spending {
  return transition ? spendingOf(transition.execution) : NO_SPENDING;
}

/** Where a branch stands in the tree. */
export function placeOf<State, Step>({ id, parent, key }: BranchPlan<State, Step>): BranchPlace {
  return { id, parentId: parent.id, depth: parent.depth + 1, prompt: key.prompt, attempt: key.attempt };
}

interface BranchPlace {
  readonly id: number;
  readonly parentId: number;
  readonly depth: number;
  readonly prompt: string;
  readonly attempt: number;
}

const NOTHING = { costUsd: 0, tokens: 0, durationMs: 0 };

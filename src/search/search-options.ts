import type { BudgetTracker } from "../core/index.ts";
import type { RewardFunction } from "./rewards/reward.ts";
import type { SearchJournal } from "./search-journal.ts";
import type { ReachedNode, SearchNode } from "./search-node.ts";

/** What every strategy can be told. */
export interface SearchOptions<State, Step> {
  /** Where the search begins. */
  readonly from: State;
  /** How good an exploration is; what the environment itself says where it is left out. */
  readonly reward?: RewardFunction<State, Step>;
  /** One budget for all branches; it may be shared with other searches. */
  readonly budget?: BudgetTracker;
  readonly signal?: AbortSignal;
  /** The search ends at the first reward that is at least this, and cancels what still runs. */
  readonly threshold?: number;
  /** How many branches may run at once; 1 by default. */
  readonly concurrency?: number;
  /** Decides every random choice; 0 by default. */
  readonly seed?: number;
  /** What is in it is not explored again, and what is explored is added to it. */
  readonly journal?: SearchJournal;
}

/**
 * Why a search ended: everything was tried, the strategy reached its goal, a reward was good enough, the budget was
 * spent, or somebody cancelled it.
 */
export type SearchStopReason = "exhausted" | "solved" | "threshold" | "budget" | "cancelled";

/** What a search came to. */
export interface SearchResult<State, Step> {
  /** The node with the highest reward; where the strategy reached its goal, the node that did. */
  readonly best?: ReachedNode<State, Step>;
  /** Everything that was explored, in the order in which it was asked for. */
  readonly nodes: readonly SearchNode<State, Step>[];
  /** How many explorations were run; those that were known already do not count. */
  readonly expansions: number;
  /** What they cost. */
  readonly costUsd: number;
  /** What those that were known already had cost when they were run. */
  readonly reusedCostUsd: number;
  readonly stopped: SearchStopReason;
}

import type { BudgetTracker } from "../core/index.ts";
import type { RewardFunction } from "./rewards/reward.ts";
import type { SearchJournal } from "./search-journal.ts";
import type { ReachedNode } from "./search-result.ts";

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

/** Says what could be tried from a node, the most promising first; nothing where it ends. */
export type Expand<State, Step> = (node: ReachedNode<State, Step>) => readonly string[] | Promise<readonly string[]>;

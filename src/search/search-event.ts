import type { FailedNode, ReachedNode, SearchNode } from "./search-node.ts";
import type { SearchResult } from "./search-options.ts";

/** Where a task of a network stands. */
export type TaskStatus = "pending" | "in_progress" | "completed" | "failed" | "blocked";

/** What happens in a search, in order. Nothing in it depends on the time of day: equal searches, equal events. */
export type SearchEvent<State, Step> =
  | { readonly type: "search-start"; readonly strategy: string; readonly from: string; readonly seed: number }
  | {
      readonly type: "branch-start";
      readonly id: number;
      readonly parentId: number;
      readonly depth: number;
      readonly prompt: string;
      readonly attempt: number;
    }
  | { readonly type: "branch-end"; readonly node: ReachedNode<State, Step> }
  /** The search goes on: one branch that fails is not its end. */
  | { readonly type: "branch-failed"; readonly node: FailedNode<State, Step> }
  /** The strategy goes on from this node. */
  | { readonly type: "node-selected"; readonly id: number; readonly depth: number }
  /** A task of a network changed; `path` names the tasks from the outermost to it, `nodeId` the state it stands at. */
  | {
      readonly type: "task-changed";
      readonly path: readonly string[];
      readonly status: TaskStatus;
      readonly nodeId: number;
      readonly reason?: string;
    }
  /** A task is taken apart by this method, from this node: the first time, or again after another method failed. */
  | {
      readonly type: "method-selected";
      readonly path: readonly string[];
      readonly method: string;
      readonly nodeId: number;
      readonly isReplan: boolean;
    }
  /** A generation is complete; these survive it, best first. */
  | { readonly type: "generation-end"; readonly generation: number; readonly survivors: readonly number[] }
  | { readonly type: "search-end"; readonly result: SearchResult<State, Step> };

/** The event that tells how a branch ended. */
export function branchEvent<State, Step>(node: SearchNode<State, Step>): SearchEvent<State, Step> {
  return node.type === "reached" ? { type: "branch-end", node } : { type: "branch-failed", node };
}

import { microUsd, sumMicroUsd, type ErrorRecord, type MicroUsd } from "../core/internal.ts";
import type { Reward } from "./environment.ts";

interface NodeBase {
  /** Counted in the order in which the search asked for them; 0 is where it began. */
  readonly id: number;
  /** Turns since the beginning of the search. */
  readonly depth: number;
  /** The node that the prompt was run from; none for the beginning. */
  readonly parentId?: number;
  /** What was run; empty for the beginning. */
  readonly prompt: string;
  /** Counts the runs of this prompt from this state, from 1. */
  readonly attempt: number;
  readonly costUsd: number;
  readonly tokens: number;
  readonly durationMs: number;
  /** Whether it was explored before, by the journal or by the environment, and cost nothing now. */
  readonly isReused: boolean;
}

export type BranchPlace = Required<Pick<NodeBase, "id" | "parentId" | "depth" | "prompt" | "attempt">>;

export const NOTHING_SPENT = { costUsd: 0, tokens: 0, durationMs: 0, isReused: false } as const;

/** A state that the search has come to. */
export interface ReachedNode<State, Step> extends NodeBase {
  readonly type: "reached";
  readonly state: State;
  /** The turn that led here; none for the beginning. */
  readonly transition?: Step;
  readonly reward?: Reward;
}

/** An exploration that failed, was cancelled, or could not be judged. */
export interface FailedNode<State, Step> extends NodeBase {
  readonly type: "failed";
  readonly error: ErrorRecord;
  /** Where the turn itself led to, if it came that far. */
  readonly state?: State;
  readonly transition?: Step;
}

/** One exploration of a search, or its beginning. */
export type SearchNode<State, Step> = ReachedNode<State, Step> | FailedNode<State, Step>;

/** Whether a node is a state that the search can go on from. */
export function isReached<State, Step>(node: SearchNode<State, Step> | undefined): node is ReachedNode<State, Step> {
  return node?.type === "reached";
}

/** The nodes that led to one, oldest first, with itself. */
export function pathTo<Node extends { readonly id: number; readonly parentId?: number }>(
  nodes: readonly Node[],
  { id }: { readonly id: number },
): readonly Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const path: Node[] = [];
  for (let node = byId.get(id); node; node = byId.get(node.parentId ?? 0)) path.unshift(node);
  return path;
}

/**
 * Sorts by reward, best first; of equals the cheaper one, then the one that was asked for first. Without a reward comes
 * last. `costOf` says what a node cost: itself alone, unless another measure is given.
 */
export function byReward<State, Step>(
  left: ReachedNode<State, Step>,
  right: ReachedNode<State, Step>,
  costOf: (node: ReachedNode<State, Step>) => number = ({ costUsd }) => costUsd,
): number {
  // Two without a reward are no number apart.
  return valueOf(right) - valueOf(left) || costOf(left) - costOf(right) || left.id - right.id;
}

/** The node with the highest reward; of equals the one that was reached for less money, all turns on the way to it counted. */
export function findBest<State, Step>(nodes: readonly SearchNode<State, Step>[]): ReachedNode<State, Step> | undefined {
  const ways = new Map<number, MicroUsd>();
  // A node comes after the one that it was run from.
  for (const { id, parentId = 0, costUsd } of nodes.toSorted((left, right) => left.id - right.id)) {
    ways.set(id, sumMicroUsd([ways.get(parentId) ?? microUsd(0), microUsd(costUsd)]));
  }
  const costOf = ({ id }: ReachedNode<State, Step>): number => ways.get(id) ?? 0;
  const rewarded = nodes.filter(isReached).filter(({ reward }) => reward);
  return rewarded.toSorted((left, right) => byReward(left, right, costOf))[0];
}

/** What a node is worth; the least there is where it has no reward. */
export function valueOf<State, Step>(node: ReachedNode<State, Step>): number {
  return node.reward?.value ?? Number.NEGATIVE_INFINITY;
}

/**
 * Why a search ended: everything was tried, the strategy reached its goal, a reward was good enough, the budget was
 * spent, or somebody cancelled it.
 */
export type SearchStopReason = "exhausted" | "solved" | "threshold" | "budget" | "cancelled";

/** What a search came to. */
export interface SearchResult<State, Step> {
  /** The node with the highest reward, of equals the one that was reached for less money; where the strategy reached its goal, the node that did. */
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

/** How far a task of a network is. */
export type TaskStatus = "pending" | "in_progress" | "completed" | "failed" | "blocked";

/** What happens in a search, in order. Nothing in it depends on the time of day: equal searches, equal events. */
export type SearchEvent<State, Step> =
  | { readonly type: "search-start"; readonly strategy: string; readonly from: string; readonly seed: number }
  | ({ readonly type: "branch-start" } & BranchPlace)
  | { readonly type: "branch-end"; readonly node: ReachedNode<State, Step> }
  /** The search goes on: one branch that fails is not its end. */
  | { readonly type: "branch-failed"; readonly node: FailedNode<State, Step> }
  /** The strategy goes on from this node. */
  | { readonly type: "node-selected"; readonly id: number; readonly depth: number }
  /** A task of a network changed; `path` names the tasks from the outermost to it, `nodeId` the state it is at. */
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

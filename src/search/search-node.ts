import type { ErrorRecord } from "../core/index.ts";
import type { Reward } from "./rewards/reward.ts";

interface NodeParts {
  /** Counted in the order in which the search asked for them; 0 is where it began. */
  readonly id: number;
  /** Turns since the beginning of the search. */
  readonly depth: number;
  /** The node that the prompt was run from; none for the beginning. */
  readonly parentId?: number;
  /** What was run; empty for the beginning. */
  readonly prompt: string;
  /** The how-manieth run of this prompt from this state it was, from 1. */
  readonly attempt: number;
  readonly costUsd: number;
  readonly tokens: number;
  readonly durationMs: number;
  /** Whether it was explored before, by the journal or by the environment, and cost nothing now. */
  readonly isReused: boolean;
}

/** A state that the search has come to. */
export interface ReachedNode<State, Step> extends NodeParts {
  readonly type: "reached";
  readonly state: State;
  /** The turn that led here; none for the beginning. */
  readonly transition?: Step;
  readonly reward?: Reward;
}

/** An exploration that failed, was cancelled, or could not be judged. */
export interface FailedNode<State, Step> extends NodeParts {
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

/** Sorts by reward, best first; of equals the one that was asked for first. Without a reward comes last. */
export function byReward<State, Step>(left: ReachedNode<State, Step>, right: ReachedNode<State, Step>): number {
  const [first, second] = [valueOf(left), valueOf(right)];
  return first === second ? left.id - right.id : second > first ? 1 : -1;
}

/** What a node is worth; the least there is where it has no reward. */
export function valueOf<State, Step>(node: ReachedNode<State, Step>): number {
  return node.reward?.value ?? Number.NEGATIVE_INFINITY;
}

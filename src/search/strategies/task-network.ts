import type { ReachedNode } from "../search-node.ts";

/** Something to be done: by one prompt, or by the tasks that a method takes it apart into. */
export type Task<State, Step> = LeafTask<State, Step> | CompoundTask<State, Step>;

/** A question about the node at which a task stands. */
export type Ask<State, Step, Answer> = (node: ReachedNode<State, Step>) => Answer | Promise<Answer>;

/** A task that one prompt does. */
export interface LeafTask<State, Step> {
  readonly type: "leaf";
  readonly name: string;
  readonly prompt: string | Ask<State, Step, string>;
  /** Where it is false the task is blocked, and nothing is run. */
  readonly when?: Ask<State, Step, boolean>;
  /** Whether the prompt did it; by default, whether its turn ended without an error. */
  readonly isDone?: Ask<State, Step, boolean>;
}

/** A task that has to be taken apart. */
export interface CompoundTask<State, Step> {
  readonly type: "compound";
  readonly name: string;
  /** Tried in order, until one works. */
  readonly methods: readonly Method<State, Step>[];
}

/** One way to take a task apart. */
export interface Method<State, Step> {
  readonly name: string;
  /** Where it is false the method is passed over. */
  readonly when?: Ask<State, Step, boolean>;
  /** The tasks, to be done one after another. A function sees what was done before: no tasks means nothing is left to do. */
  readonly tasks: readonly Task<State, Step>[] | Ask<State, Step, readonly Task<State, Step>[]>;
}

import type { ReachedNode } from "../search-node.ts";

/** Says what could be tried from a node, the most promising first; nothing where it ends. */
export type Expand<State, Step> = (node: ReachedNode<State, Step>) => readonly string[] | Promise<readonly string[]>;

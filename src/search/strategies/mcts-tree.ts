import type { ReachedNode } from "../search-result.ts";

/** A node of the search tree, with what is known of all that is below it. */
export interface TreeNode<State, Step> {
  readonly node: ReachedNode<State, Step>;
  readonly parent: TreeNode<State, Step> | undefined;
  readonly children: TreeNode<State, Step>[];
  /** Prompts that were not tried yet, the most promising first; undefined before anybody asked. */
  untried: string[] | undefined;
  /** Children that are being explored. */
  pending: number;
  visits: number;
  /** The sum of the values that were backed up through it. */
  total: number;
  /** Visits that are under way: until they are over they count as bad ones, so that others look elsewhere. */
  underway: number;
  /** Nothing is left to try from here or below. */
  isClosed: boolean;
}

/** How many children a node may have: `factor` times its visits to the power of `exponent`, and always one. */
export interface Widening {
  readonly factor: number;
  readonly exponent: number;
}

/** Makes a node of the tree, below its parent. */
export function addTreeNode<State, Step>(
  node: ReachedNode<State, Step>,
  parent?: TreeNode<State, Step>,
): TreeNode<State, Step> {
  const made = {
    node,
    parent,
    children: [],
    untried: undefined,
    pending: 0,
    visits: 0,
    total: 0,
    underway: 0,
    isClosed: false,
  };
  parent?.children.push(made);
  return made;
}

/** Whether another child may be tried: there is one, and either visits have earned it or nothing else is open. */
export function canWiden<State, Step>(tree: TreeNode<State, Step>, { factor, exponent }: Widening): boolean {
  if (!tree.untried?.length) return false;
  const count = tree.children.length + tree.pending;
  if (count < Math.max(1, factor * (tree.visits + tree.underway) ** exponent)) return true;
  return tree.pending === 0 && tree.children.every(({ isClosed }) => isClosed);
}

/** Takes a prompt that was not tried yet, to be explored now. */
export function takePrompt<State, Step>(tree: TreeNode<State, Step>, index: number): string | undefined {
  const [prompt] = tree.untried?.splice(index, 1) ?? [];
  if (prompt !== undefined) tree.pending += 1;
  return prompt;
}

/** The child that promises most by UCT; values are scaled to 0 … 1 by the least and the greatest seen. */
export function selectChild<State, Step>(
  tree: TreeNode<State, Step>,
  { exploration, least, greatest }: { readonly exploration: number; readonly least: number; readonly greatest: number },
): TreeNode<State, Step> | undefined {
  const scale = greatest > least ? greatest - least : 1;
  const visitsOf = (child: TreeNode<State, Step>): number => Math.max(1, child.visits + child.underway);
  const logarithm = Math.log(visitsOf(tree));
  const scoreOf = (child: TreeNode<State, Step>): number => {
    const gained = (child.total - child.visits * least) / scale;
    return gained / visitsOf(child) + exploration * Math.sqrt(logarithm / visitsOf(child));
  };
  const open = tree.children.filter(({ isClosed }) => !isClosed);
  return open.reduce<TreeNode<State, Step> | undefined>(
    (best, child) => (best && scoreOf(best) >= scoreOf(child) ? best : child),
    undefined,
  );
}

/** A visit begins: counted as under way from here up to the root. */
export function beginVisit<State, Step>(tree: TreeNode<State, Step>): void {
  for (let at: TreeNode<State, Step> | undefined = tree; at; at = at.parent) at.underway += 1;
}

/** A visit is over: its value, where it came to one, goes up to the root. */
export function endVisit<State, Step>(tree: TreeNode<State, Step>, value: number | undefined): void {
  for (let at: TreeNode<State, Step> | undefined = tree; at; at = at.parent) {
    at.underway -= 1;
    if (value !== undefined) {
      at.visits += 1;
      at.total += value;
    }
  }
}

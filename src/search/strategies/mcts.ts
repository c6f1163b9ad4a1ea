import type { Environment, StepOutcome } from "../environment.ts";
import { isReached, type ReachedNode } from "../search-result.ts";
import { SearchRun, type Expand, type SearchOptions } from "../search-run.ts";
import { createSearch, type Search } from "../search.ts";

/** How the tree is searched. */
export interface MctsOptions<State, Step> extends SearchOptions<State, Step> {
  readonly expand: Expand<State, Step>;
  /** How often the tree is gone down from its root. */
  readonly iterations: number;
  /** How many turns a path has at most. */
  readonly depth: number;
  /** How many turns are taken at random below a new node before it is valued; 0 by default: its own reward counts. */
  readonly rolloutDepth?: number;
  /** How much is risked on what is little known; the square root of 2 by default. */
  readonly exploration?: number;
  /** How many children a node may have: `factor` (2 by default) times its visits to the power of `exponent` (0.5), and always one. */
  readonly widening?: { readonly factor: number; readonly exponent: number };
}

/**
 * Searches a tree by what came of earlier visits (UCT with progressive widening). A visit is worth the reward of the last
 * node it reached. The turns of a rollout stay in the tree: what was paid for is never run again. With a concurrency
 * above 1 visits under way count as bad ones until they are over, and which node is chosen depends on who is faster.
 */
export function mcts<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  options: MctsOptions<State, Step>,
): Search<State, Step> {
  const run = new SearchRun("mcts", environment, options);
  return createSearch(run, async () => {
    const search = new TreeSearch(run, options);
    const visits = new Set<Promise<void>>();
    const failures: unknown[] = [];
    for (let started = 0; started < options.iterations && !run.isStopped && failures.length === 0;) {
      if (visits.size >= run.concurrency) await Promise.race(visits);
      const chosen = await search.choose();
      if (!chosen && visits.size === 0) break;
      if (!chosen) {
        await Promise.race(visits);
        continue;
      }
      started += 1;
      const visit = search
        .visit(chosen)
        .catch((reason: unknown) => void failures.push(reason))
        .finally(() => visits.delete(visit));
      visits.add(visit);
    }
    await Promise.all(visits);
    if (failures.length > 0) throw failures[0];
  });
}

/** A node of the search tree, with what is known of all that is below it. */
class TreeNode<State, Step> {
  readonly node: ReachedNode<State, Step>;
  readonly parent: TreeNode<State, Step> | undefined;
  readonly children: TreeNode<State, Step>[] = [];
  /** Prompts that were not tried yet, the most promising first; undefined before anybody asked. */
  untried: string[] | undefined;
  /** Children that are being explored. */
  pending = 0;
  visits = 0;
  /** The sum of the values that were backed up through it. */
  total = 0;
  /** Visits that are under way: until they are over they count as bad ones, so that others look elsewhere. */
  underway = 0;
  /** Nothing is left to try from here or below. */
  isClosed = false;

  constructor(node: ReachedNode<State, Step>, parent?: TreeNode<State, Step>) {
    this.node = node;
    this.parent = parent;
    parent?.children.push(this);
  }

  *lineage(): Generator<TreeNode<State, Step>> {
    yield this;
    if (this.parent) yield* this.parent.lineage();
  }

  takePrompt(index: number): string | undefined {
    const [prompt] = this.untried?.splice(index, 1) ?? [];
    if (prompt !== undefined) this.pending += 1;
    return prompt;
  }
}

class TreeSearch<State, Step extends StepOutcome> {
  readonly #run: SearchRun<State, Step>;
  readonly #options: Required<Omit<MctsOptions<State, Step>, keyof SearchOptions<State, Step>>>;
  readonly #root: TreeNode<State, Step>;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  constructor(run: SearchRun<State, Step>, options: MctsOptions<State, Step>) {
    const { rolloutDepth = 0, exploration = Math.SQRT2, widening = { factor: 2, exponent: 0.5 } } = options;
    this.#run = run;
    this.#options = { ...options, rolloutDepth, exploration, widening };
    this.#root = new TreeNode(run.root);
  }

  /** Goes down to a node that gets another child; undefined when there is none, now or for good. */
  async choose(): Promise<TreeNode<State, Step> | undefined> {
    let at: TreeNode<State, Step> | undefined = this.#root;
    while (at && !at.isClosed) {
      await this.#ask(at);
      if (this.#canWiden(at)) return at;
      const child = this.#select(at);
      if (!child && at.pending > 0) return undefined;
      // Nothing is left to try from here or below: it is not gone to again.
      at.isClosed = child === undefined;
      at = child ?? (at.parent && this.#root);
    }
    return undefined;
  }

  /** Explores a new child and what is below it, and tells the nodes above what it is worth. */
  async visit(chosen: TreeNode<State, Step>): Promise<void> {
    const { id, depth } = chosen.node;
    for (const above of chosen.lineage()) above.underway += 1;
    let last = chosen;
    let prompt = chosen.takePrompt(0);
    await this.#run.emit({ type: "node-selected", id, depth });
    for (let left = this.#options.rolloutDepth; prompt !== undefined; left -= 1) {
      const child = await this.#tryOne(last, prompt);
      if (!child) break;
      last = child;
      prompt = left > 0 ? last.takePrompt(this.#run.random.below(last.untried?.length ?? 0)) : undefined;
    }
    for (const above of last.lineage()) above.underway -= 1;
    if (last === chosen) return;
    const value = last.node.reward?.value ?? 0;
    this.#least = Math.min(this.#least, value);
    this.#greatest = Math.max(this.#greatest, value);
    for (const above of last.lineage()) {
      above.visits += 1;
      above.total += value;
    }
  }

  async #tryOne(parent: TreeNode<State, Step>, prompt: string): Promise<TreeNode<State, Step> | undefined> {
    const node = await this.#run.explore(parent.node, prompt).finally(() => (parent.pending -= 1));
    if (!isReached(node)) return undefined;
    const child = new TreeNode(node, parent);
    child.underway = 1;
    await this.#ask(child);
    return child;
  }

  async #ask(tree: TreeNode<State, Step>): Promise<void> {
    if (tree.untried) return;
    const isDeepest = tree.node.depth >= this.#options.depth;
    const prompts = isDeepest ? [] : await this.#options.expand(tree.node);
    tree.untried ??= [...prompts];
  }

  /** Whether another child may be tried: there is one, and either visits have earned it or nothing else is open. */
  #canWiden({ untried, children, pending, visits, underway }: TreeNode<State, Step>): boolean {
    if (!untried?.length) return false;
    const { factor, exponent } = this.#options.widening;
    if (children.length + pending < Math.max(1, factor * (visits + underway) ** exponent)) return true;
    return pending === 0 && children.every(({ isClosed }) => isClosed);
  }

  /** The child that promises most by UCT; values are scaled to 0 … 1 by the least and the greatest seen. */
  #select(tree: TreeNode<State, Step>): TreeNode<State, Step> | undefined {
    const scale = this.#greatest > this.#least ? this.#greatest - this.#least : 1;
    // Before a visit has ended nothing is known of any value: infinity times no visits is no number.
    const least = Number.isFinite(this.#least) ? this.#least : 0;
    const visitsOf = ({ visits, underway }: TreeNode<State, Step>): number => Math.max(1, visits + underway);
    const logarithm = Math.log(visitsOf(tree));
    const scoreOf = (child: TreeNode<State, Step>): number => {
      const gained = (child.total - child.visits * least) / scale;
      return gained / visitsOf(child) + this.#options.exploration * Math.sqrt(logarithm / visitsOf(child));
    };
    const open = tree.children.filter(({ isClosed }) => !isClosed);
    return open.reduce<TreeNode<State, Step> | undefined>(
      (best, child) => (best && scoreOf(best) >= scoreOf(child) ? best : child),
      undefined,
    );
  }
}

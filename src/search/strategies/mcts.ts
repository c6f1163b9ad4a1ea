import type { Environment, StepOutcome } from "../environment.ts";
import type { SearchOptions, Expand } from "../search-options.ts";
import { isReached } from "../search-result.ts";
import type { SearchRun } from "../search-run.ts";
import { createSearch, type Search } from "../search.ts";
import {
  addTreeNode,
  beginVisit,
  canWiden,
  endVisit,
  selectChild,
  takePrompt,
  type TreeNode,
  type Widening,
} from "./mcts-tree.ts";

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
  /** How many children a node may have; `{ factor: 2, exponent: 0.5 }` by default. */
  readonly widening?: Widening;
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
  return createSearch({ name: "mcts", environment, options }, async (run) => {
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
    this.#root = addTreeNode(run.root);
  }

  /** Goes down to a node that gets another child; undefined when there is none, now or for good. */
  async choose(): Promise<TreeNode<State, Step> | undefined> {
    let at: TreeNode<State, Step> | undefined = this.#root;
    while (at && !at.isClosed) {
      await this.#ask(at);
      if (canWiden(at, this.#options.widening)) return at;
      const { exploration } = this.#options;
      const child: TreeNode<State, Step> | undefined = selectChild(at, {
        exploration,
        least: this.#least,
        greatest: this.#greatest,
      });
      if (child) at = child;
      else if (at.pending > 0) return undefined;
      else at = this.#close(at);
    }
    return undefined;
  }

  /** Explores a new child and what is below it, and tells the nodes above what it is worth. */
  async visit(chosen: TreeNode<State, Step>): Promise<void> {
    const { id, depth } = chosen.node;
    beginVisit(chosen);
    let last = chosen;
    let prompt = takePrompt(chosen, 0);
    await this.#run.emit({ type: "node-selected", id, depth });
    for (let left = this.#options.rolloutDepth; prompt !== undefined; left -= 1) {
      const child = await this.#tryOne(last, prompt);
      if (!child) break;
      last = child;
      prompt = left > 0 ? takePrompt(last, this.#run.random.below(last.untried?.length ?? 0)) : undefined;
    }
    const value = last === chosen ? undefined : (last.node.reward?.value ?? 0);
    this.#least = Math.min(this.#least, value ?? this.#least);
    this.#greatest = Math.max(this.#greatest, value ?? this.#greatest);
    endVisit(last, value);
  }

  async #tryOne(parent: TreeNode<State, Step>, prompt: string): Promise<TreeNode<State, Step> | undefined> {
    const node = await this.#run.explore(parent.node, prompt).finally(() => (parent.pending -= 1));
    if (!isReached(node)) return undefined;
    const child = addTreeNode(node, parent);
    child.underway = 1;
    await this.#ask(child);
    return child;
  }

  /** Asks once what could be tried from a node. */
  async #ask(tree: TreeNode<State, Step>): Promise<void> {
    if (tree.untried) return;
    const isDeepest = tree.node.depth >= this.#options.depth;
    const prompts = isDeepest ? [] : await this.#options.expand(tree.node);
    tree.untried ??= [...prompts];
  }

  /** Nothing is left to try from a node or below it: it is not gone to again. */
  #close(tree: TreeNode<State, Step>): TreeNode<State, Step> | undefined {
    tree.isClosed = true;
    return tree.parent && this.#root;
  }
}

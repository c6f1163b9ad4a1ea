import { setMaxListeners } from "node:events";
import { AsyncQueue, microUsd, NO_SPENDING, SkeinError, sumMicroUsd, toUsd } from "../core/index.ts";
import type { Environment, StepOutcome } from "./environment.ts";
import { createRandom, type Random } from "./random.ts";
import { placeOf, reachedNode, runBranch, spentOn, type BranchPlan } from "./run-branch.ts";
import { readKnown, type KnownExplorations } from "./search-journal.ts";
import type { SearchOptions } from "./search-options.ts";
import {
  branchEvent,
  byReward,
  isReached,
  valueOf,
  type SearchEvent,
  type ReachedNode,
  type SearchNode,
  type SearchResult,
  type SearchStopReason,
} from "./search-result.ts";
import { createSlots, type Slots } from "./slots.ts";

/** Events that may wait for a slow reader before the search does. */
const EVENT_CAPACITY = 64;

/** One search while it runs: what strategies explore with. Budget, journal, threshold and events are its matter. */
export class SearchRun<State, Step extends StepOutcome> {
  readonly root: ReachedNode<State, Step>;
  readonly random: Random;
  readonly concurrency: number;
  readonly events = new AsyncQueue<SearchEvent<State, Step>>(EVENT_CAPACITY);
  readonly #environment: Environment<State, Step>;
  readonly #options: SearchOptions<State, Step>;
  readonly #slots: Slots;
  readonly #abort = new AbortController();
  readonly #nodes: SearchNode<State, Step>[] = [];
  readonly #attempts = new Map<string, number>();
  readonly #running = new Set<Promise<unknown>>();
  #known: Promise<KnownExplorations<State, Step>> | undefined;
  #asked = 0;
  #stopped: SearchStopReason | undefined;
  #solution: ReachedNode<State, Step> | undefined;

  constructor(environment: Environment<State, Step>, options: SearchOptions<State, Step>) {
    this.#environment = environment;
    this.#options = options;
    this.concurrency = checkConcurrency(options.concurrency ?? 1);
    this.random = createRandom(options.seed ?? 0);
    this.#slots = createSlots(this.concurrency);
    this.root = { ...BEGINNING, state: options.from };
    // Every branch listens, and there may be many: that is no leak.
    setMaxListeners(0, this.#abort.signal);
  }

  /** Whether the search has to end now: strategies then return, and what they ask for is undefined. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Tells the reader; waits for one who is slow. */
  async emit(event: SearchEvent<State, Step>): Promise<void> {
    await this.events.push(event);
  }

  /** Ends the search: no branch is started any more. Running ones are cancelled, unless only the budget is spent. */
  stop(reason: SearchStopReason): void {
    this.#stopped ??= reason;
    if (reason !== "budget") this.#abort.abort(new SkeinError("The search has ended", { kind: "cancelled" }));
  }

  /** Ends the search because its goal is reached. */
  solve(node: ReachedNode<State, Step>): void {
    if (this.#stopped === undefined) this.#solution = node;
    this.stop("solved");
  }

  /** Waits for the branches that still run. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  /** Runs a prompt from a node. Undefined when the search has stopped before it could start. */
  async explore(parent: ReachedNode<State, Step>, prompt: string): Promise<SearchNode<State, Step> | undefined> {
    if (this.isStopped) return undefined;
    const from = this.#environment.keyOf(parent.state);
    const place = `${from}\n${prompt}`;
    const attempt = (this.#attempts.get(place) ?? 0) + 1;
    this.#attempts.set(place, attempt);
    this.#asked += 1;
    const branch = this.#branch({ id: this.#asked, parent, key: { from, prompt, attempt } });
    this.#running.add(branch);
    try {
      return await branch;
    } finally {
      this.#running.delete(branch);
    }
  }

  /** Runs prompts from a node side by side, as far as the concurrency goes; only those that led to a state come back. */
  async exploreAll(
    parent: ReachedNode<State, Step>,
    prompts: readonly string[],
  ): Promise<readonly ReachedNode<State, Step>[]> {
    const nodes = await Promise.all(prompts.map((prompt) => this.explore(parent, prompt)));
    return nodes.filter(isReached);
  }

  /** What the search has come to so far. */
  result(): SearchResult<State, Step> {
    const nodes = this.#nodes.toSorted((left, right) => left.id - right.id);
    const best =
      this.#solution ??
      nodes
        .filter(isReached)
        .filter(({ reward }) => reward)
        .toSorted(byReward)[0];
    return {
      ...(best ? { best } : {}),
      nodes,
      expansions: nodes.filter(({ isReused }) => !isReused).length,
      costUsd: sumCosts(nodes.filter(({ isReused }) => !isReused)),
      reusedCostUsd: sumCosts(nodes.filter(({ isReused }) => isReused)),
      stopped: this.#stopped ?? "exhausted",
    };
  }

  async #branch(plan: BranchPlan<State, Step>): Promise<SearchNode<State, Step> | undefined> {
    using _ = await this.#slots.take();
    if (this.isStopped) return undefined;
    this.#known ??= readKnown(this.#environment, this.#options.journal);
    const known = await this.#known;
    const { budget, reward } = this.#options;
    const found = await known.find(plan.key);
    if (found) {
      const node = reachedNode(plan, { ...found, isReused: true });
      budget?.count(spentOn(node));
      return await this.#end(node);
    }
    const { signal } = this.#abort;
    const reservation = await budget?.reserve({ sharers: this.#slots.free() + 1, signal });
    if (budget && !reservation) this.stop("budget");
    if (this.isStopped) {
      if (reservation) budget?.settle(reservation, NO_SPENDING);
      return undefined;
    }
    await this.emit({ type: "branch-start", ...placeOf(plan) });
    const node = await runBranch(this.#environment, plan, { ...reservation?.allowance, signal, reward });
    if (reservation) budget?.settle(reservation, spentOn(node));
    // What failed or was cut off is run again when the search is continued.
    if (isReached(node) && node.transition?.execution.isError === false) await known.add(plan.key, node);
    return await this.#end(node);
  }

  async #end(node: SearchNode<State, Step>): Promise<SearchNode<State, Step>> {
    this.#nodes.push(node);
    const { threshold } = this.#options;
    if (threshold !== undefined && isReached(node) && valueOf(node) >= threshold) this.stop("threshold");
    await this.emit(branchEvent(node));
    return node;
  }
}

const BEGINNING = {
  type: "reached",
  id: 0,
  depth: 0,
  prompt: "",
  attempt: 1,
  costUsd: 0,
  tokens: 0,
  durationMs: 0,
  isReused: false,
} as const;

function sumCosts(nodes: readonly { readonly costUsd: number }[]): number {
  return toUsd(sumMicroUsd(nodes.map(({ costUsd }) => microUsd(costUsd))));
}

function checkConcurrency(concurrency: number): number {
  if (Number.isInteger(concurrency) && concurrency > 0) return concurrency;
  throw new SkeinError(`A search needs room for at least one branch, not ${concurrency}`, {
    kind: "usage",
    target: "concurrency",
  });
}

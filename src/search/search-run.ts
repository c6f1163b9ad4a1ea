import { setMaxListeners } from "node:events";
import {
  AsyncQueue,
  defined,
  microUsd,
  NO_SPENDING,
  SkeinError,
  spendingOf,
  sumMicroUsd,
  toUsd,
  type BudgetTracker,
  type SkeinEvent,
  type Spending,
} from "../core/internal.ts";
import type { Environment, Exploration, SearchLog, StepOutcome } from "./environment.ts";
import { createRandom, type Random } from "./random.ts";
import type { RewardFunction } from "./rewards/reward.ts";
import { reachedNode, runBranch } from "./run-branch.ts";
import { toldEvent } from "./search-log.ts";
import { explorationKey, readJournal, type JournalEntry, type SearchJournal } from "./search-journal.ts";
import {
  findBest,
  isReached,
  NOTHING_SPENT,
  valueOf,
  type BranchPlace,
  type SearchEvent,
  type ReachedNode,
  type SearchNode,
  type SearchResult,
  type SearchStopReason,
} from "./search-result.ts";
import { createSlots } from "./slots.ts";

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
  /** Told what the events of the search leave out: what waits, and what happens on a branch while it runs. */
  readonly watch?: BranchWatch;
}

/** Looks on while branches wait and run. What it does changes nothing; it does not throw. */
export interface BranchWatch {
  /** A branch was asked for, and runs as soon as there is room. */
  queued?(branch: BranchPlace): void;
  /** An event of the turn on a branch. */
  happened?(branch: BranchPlace, event: SkeinEvent): void;
}

/** Says what could be tried from a node, the most promising first; nothing where it ends. */
export type Expand<State, Step> = (node: ReachedNode<State, Step>) => readonly string[] | Promise<readonly string[]>;

/** Events that may wait for a slow reader before the search does. */
const EVENT_CAPACITY = 64;

/** One search while it runs: what strategies explore with. Budget, journal, threshold and events are its matter. */
export class SearchRun<State, Step extends StepOutcome> {
  readonly root: ReachedNode<State, Step>;
  readonly random: Random;
  readonly concurrency: number;
  readonly events = new AsyncQueue<SearchEvent<State, Step>>(EVENT_CAPACITY);
  readonly #strategy: string;
  readonly #environment: Environment<State, Step>;
  readonly #options: SearchOptions<State, Step>;
  readonly #slots: ReturnType<typeof createSlots>;
  readonly #abort = new AbortController();
  readonly #nodes: SearchNode<State, Step>[] = [];
  readonly #attempts = new Map<string, number>();
  readonly #running = new Set<Promise<unknown>>();
  #known: Promise<ReadonlyMap<string, JournalEntry>> | undefined;
  #log: SearchLog | undefined;
  #asked = 0;
  #stopped: SearchStopReason | undefined;
  #solution: ReachedNode<State, Step> | undefined;

  constructor(strategy: string, environment: Environment<State, Step>, options: SearchOptions<State, Step>) {
    this.#strategy = strategy;
    this.#environment = environment;
    this.#options = options;
    this.concurrency = options.concurrency ?? 1;
    this.random = createRandom(options.seed ?? 0);
    this.#slots = createSlots(this.concurrency);
    this.root = { type: "reached", id: 0, depth: 0, prompt: "", attempt: 1, ...NOTHING_SPENT, state: options.from };
    // Every branch listens, and there may be many: that is no leak.
    setMaxListeners(0, this.#abort.signal);
  }

  /** Follows a plan to its end, and waits for every branch: nothing runs on after a search. */
  async conduct(plan: () => Promise<void>): Promise<void> {
    const { signal, from, seed = 0 } = this.#options;
    const cancel = (): void => this.stop("cancelled");
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    try {
      this.#check();
      using log = await this.#environment.tellOf?.(this.#strategy, cancel);
      this.#log = log;
      await this.emit({ type: "search-start", strategy: this.#strategy, from: this.#environment.keyOf(from), seed });
      if (!this.isStopped) await plan();
      await this.#settled();
      this.stop("exhausted");
      await this.emit({ type: "search-end", result: this.result() });
    } catch (error) {
      cancel();
      await this.#settled();
      this.events.fail(error);
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.events.end();
    }
  }

  /** Whether the search has to end now: strategies then return, and what they ask for is undefined. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Tells the reader; waits for one who is slow. */
  async emit(event: SearchEvent<State, Step>): Promise<void> {
    this.#log?.add(toldEvent(event, (state) => this.#environment.keyOf(state)));
    await this.events.push(event);
  }

  /** Ends the search: no branch is started any more. Running ones are cancelled, unless only the budget is spent. */
  stop(reason: SearchStopReason): void {
    this.#stopped ??= reason;
    if (reason !== "budget") this.#abort.abort(new SkeinError("The search has ended", { kind: "cancelled" }));
  }

  solve(node: ReachedNode<State, Step>): void {
    if (this.#stopped === undefined) this.#solution = node;
    this.stop("solved");
  }

  /** Runs a prompt from a node. Undefined when the search has stopped before it could start. */
  async explore(parent: ReachedNode<State, Step>, prompt: string): Promise<SearchNode<State, Step> | undefined> {
    if (this.isStopped) return undefined;
    const from = `${this.#environment.keyOf(parent.state)}\n${prompt}`;
    const attempt = (this.#attempts.get(from) ?? 0) + 1;
    this.#attempts.set(from, attempt);
    this.#asked += 1;
    const place = { id: this.#asked, parentId: parent.id, depth: parent.depth + 1, prompt, attempt };
    this.#options.watch?.queued?.(place);
    const branch = this.#branch(parent.state, place);
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

  result(): SearchResult<State, Step> {
    const nodes = this.#nodes.toSorted((left, right) => left.id - right.id);
    const fresh = nodes.filter(({ isReused }) => !isReused);
    return {
      ...defined({ best: this.#solution ?? findBest(nodes) }),
      nodes,
      expansions: fresh.length,
      costUsd: sumCosts(fresh),
      reusedCostUsd: sumCosts(nodes.filter(({ isReused }) => isReused)),
      stopped: this.#stopped ?? "exhausted",
    };
  }

  async #settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  async #branch(from: State, place: BranchPlace): Promise<SearchNode<State, Step> | undefined> {
    using _ = await this.#slots.take();
    if (this.isStopped) return undefined;
    const { budget, reward, journal, watch } = this.#options;
    const key = { from: this.#environment.keyOf(from), prompt: place.prompt, attempt: place.attempt };
    const found = await this.#recall(explorationKey(key));
    if (found) {
      const node = reachedNode(place, { ...found, isReused: true });
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
    await this.emit({ type: "branch-start", ...place });
    const onEvent = watch?.happened && ((event: SkeinEvent) => watch.happened?.(place, event));
    const options = { ...reservation?.allowance, signal, reward, ...defined({ onEvent, searchId: this.#log?.run }) };
    const node = await runBranch(this.#environment, { from, place }, options);
    if (reservation) budget?.settle(reservation, spentOn(node));
    // What failed or was cut off is run again when the search is continued.
    if (isReached(node) && node.transition?.execution.isError === false) {
      const to = this.#environment.keyOf(node.state);
      await journal?.append({ ...key, to, ...defined({ reward: node.reward }) });
    }
    return await this.#end(node);
  }

  /** What the journal knows of an exploration, where the environment still has it. */
  async #recall(key: string): Promise<Exploration<State, Step> | undefined> {
    if (this.#options.journal && !this.#environment.recall)
      throw new SkeinError("This environment cannot recall explorations: leave out `journal`", { kind: "usage" });
    this.#known ??= readJournal(this.#options.journal);
    const entry = (await this.#known).get(key);
    const found = entry && (await this.#environment.recall?.(entry.to));
    return found && { ...found, ...defined({ reward: entry.reward }) };
  }

  async #end(node: SearchNode<State, Step>): Promise<SearchNode<State, Step>> {
    this.#nodes.push(node);
    const { threshold } = this.#options;
    if (threshold !== undefined && isReached(node) && valueOf(node) >= threshold) this.stop("threshold");
    await this.emit(isReached(node) ? { type: "branch-end", node } : { type: "branch-failed", node });
    return node;
  }

  #check(): void {
    if (Number.isInteger(this.concurrency) && this.concurrency > 0) return;
    throw new SkeinError(`A search needs room for at least one branch, not ${this.concurrency}`, {
      kind: "usage",
      target: "concurrency",
    });
  }
}

function spentOn<State, Step extends StepOutcome>({ transition }: SearchNode<State, Step>): Spending {
  return transition ? spendingOf(transition.execution) : NO_SPENDING;
}

function sumCosts(nodes: readonly { readonly costUsd: number }[]): number {
  return toUsd(sumMicroUsd(nodes.map(({ costUsd }) => microUsd(costUsd))));
}

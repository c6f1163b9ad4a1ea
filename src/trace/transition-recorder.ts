import { join } from "node:path";
import { SkeinError } from "../core/index.ts";
import { UnusableDatabaseError } from "../database/index.ts";
import type { Workspace } from "../workspace/index.ts";
import { recordTransition } from "./by-hand/record-transition.ts";
import { readTransitionOf } from "./history.ts";
import { indexStates, reindexStates } from "./index-states.ts";
import { addNote } from "./note.ts";
import { RECORDING_MS, takeDirectory } from "./interrupted-turns.ts";
import type { IndexedState } from "./state-index/indexed-state.ts";
import { openTemporaryTraceIndex, openTraceIndex } from "./state-index/open-trace-index.ts";
import type { StateQuery } from "./state-index/state-query.ts";
import type { ConversationSummary, StateTotals, TraceIndex } from "./state-index/trace-index.ts";
import type { Transition } from "./transition.ts";

/** Everything that was recorded in a workspace, to be found again. The index behind it is brought up to date as it is asked. */
export class TransitionRecorder implements AsyncDisposable {
  readonly #workspace: Workspace;
  #index: TraceIndex;

  private constructor(workspace: Workspace, index: TraceIndex) {
    this.#workspace = workspace;
    this.#index = index;
  }

  /** Opens what was recorded in a workspace. */
  static async open(workspace: Workspace): Promise<TransitionRecorder> {
    return new TransitionRecorder(workspace, await openIndex(workspace));
  }

  /**
   * Records a turn that was made by hand, or in a conversation without a record, and gives it as it is in the store. One that is recorded
   * already stays as it is. While a turn runs in the directory it is refused, unless the caller has claimed the directory and says so.
   */
  async record(
    transition: Transition,
    { isClaimed = false }: { readonly isClaimed?: boolean } = {},
  ): Promise<Transition> {
    const workspace = this.#workspace;
    await using _ = isClaimed ? undefined : await takeDirectory(workspace, { waitMs: RECORDING_MS });
    const known = await this.#ask((index) => index.byTransition(transition.id));
    const recorded = known && (await readTransitionOf(workspace, known.id));
    return recorded ?? (await recordTransition(workspace, transition));
  }

  /** A turn by its own id, or by any name of the state that it led to; undefined where there is none. */
  async load(name: string): Promise<Transition | undefined> {
    const known = await this.#ask((index) => index.byTransition(name));
    return await readTransitionOf(this.#workspace, known?.id ?? (await this.#workspace.states.resolve(name)));
  }

  /** The last turns, newest first. */
  async recent(limit = 20): Promise<readonly Transition[]> {
    const found = await this.query({ kind: "turn", limit });
    const transitions = await Promise.all(found.map(({ id }) => readTransitionOf(this.#workspace, id)));
    return transitions.filter((transition) => transition !== undefined);
  }

  /** States by time, cost, tool, words, outcome or reward. */
  async query(query: StateQuery = {}): Promise<readonly IndexedState[]> {
    return await this.#ask((index) => index.list(query));
  }

  /** Turns, tokens and money of the states that fit; each state counts once, however many conversations go through it. */
  async totals(query: StateQuery = {}): Promise<StateTotals> {
    return await this.#ask((index) => index.totals(query));
  }

  /** The conversations, the one changed last first. */
  async conversations(
    page: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<readonly ConversationSummary[]> {
    return await this.#ask((index) => index.conversations(page));
  }

  /** Gives a state rewards; a name that it had gets the new value. */
  async reward(name: string, rewards: Readonly<Record<string, number>>): Promise<void> {
    const id = await this.#workspace.states.resolve(name);
    await addNote(this.#workspace, id, { rewards });
    await this.#ask(async () => undefined);
  }

  /** Makes the index anew from the store. */
  async reindex(): Promise<{ readonly states: number }> {
    return await this.#whole(async (index) => ({ states: await reindexStates(this.#workspace, index) }));
  }

  async close(): Promise<void> {
    await this.#index.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Asks the index once it knows everything that the store does. */
  async #ask<T>(question: (index: TraceIndex) => Promise<T>): Promise<T> {
    return await this.#whole(async (index) => {
      await indexStates(this.#workspace, index);
      return await question(index);
    });
  }

  /**
   * A damaged index is gone when it is met; a new one takes its place, and the work is done again. One that cannot be written, on a disk
   * that is full or may only be read, is made in memory: what was recorded can still be looked at.
   */
  async #whole<T>(work: (index: TraceIndex) => Promise<T>): Promise<T> {
    try {
      return await work(this.#index);
    } catch (error) {
      if (error instanceof UnusableDatabaseError) this.#index = await openIndex(this.#workspace);
      else if (isUnwritable(error) && this.#index.isShared) {
        await this.#index.close();
        this.#index = await openTemporaryTraceIndex();
      } else throw error;
      return await work(this.#index);
    }
  }
}

async function openIndex({ home }: Workspace): Promise<TraceIndex> {
  return await openTraceIndex(join(home, "index.sqlite")).catch((error: unknown) => {
    if (isUnwritable(error)) return openTemporaryTraceIndex();
    throw error;
  });
}

function isUnwritable(error: unknown): boolean {
  return error instanceof SkeinError && (error.kind === "filesystem" || error.kind === "resource_exhausted");
}

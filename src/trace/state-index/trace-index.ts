import { join } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import { UnusableDatabaseError } from "../../database/index.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { readTransitionOf } from "../record/history.ts";
import { indexStates, reindexStates } from "./index-states.ts";
import { openStateIndex, openTemporaryIndex } from "./open-state-index.ts";
import type { ConversationSummary, IndexedState, StateQuery, StateTotals, StateIndex } from "./state-index.ts";
import type { Transition } from "../record/transition.ts";

/** Everything that was recorded in a workspace, to be found again. It is brought up to date with the store as it is asked. */
export class TraceIndex implements AsyncDisposable {
  readonly workspace: Workspace;
  #index: StateIndex;

  private constructor(workspace: Workspace, index: StateIndex) {
    this.workspace = workspace;
    this.#index = index;
  }

  /** Opens what was recorded in a workspace. */
  static async open(workspace: Workspace): Promise<TraceIndex> {
    return new TraceIndex(workspace, await openIndex(workspace));
  }

  /** A turn by its own id; undefined where it is not recorded. */
  async byId(transitionId: string): Promise<Transition | undefined> {
    const known = await this.#ask((index) => index.byTransition(transitionId));
    return known && (await readTransitionOf(this.workspace, known.id));
  }

  /** A turn by its own id, or by any name of the state that it led to; undefined where there is none. */
  async load(name: string): Promise<Transition | undefined> {
    const { workspace } = this;
    return (await this.byId(name)) ?? (await readTransitionOf(workspace, await workspace.states.resolve(name)));
  }

  /** The last turns, newest first. */
  async recent(limit = 20): Promise<readonly Transition[]> {
    const found = await this.query({ kind: "turn", limit });
    const transitions = await Promise.all(found.map(({ id }) => readTransitionOf(this.workspace, id)));
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

  /** Makes the index anew from the store. */
  async reindex(): Promise<{ readonly states: number }> {
    return await this.#whole(async (index) => ({ states: await reindexStates(this.workspace, index) }));
  }

  async close(): Promise<void> {
    await this.#index.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #ask<T>(question: (index: StateIndex) => Promise<T>): Promise<T> {
    return await this.#whole(async (index) => {
      await indexStates(this.workspace, index);
      return await question(index);
    });
  }

  /** A damaged index is made anew; one that cannot be written, as on a full disk, is made in memory, so that the record can still be looked at. */
  async #whole<T>(work: (index: StateIndex) => Promise<T>): Promise<T> {
    try {
      return await work(this.#index);
    } catch (error) {
      if (error instanceof UnusableDatabaseError) this.#index = await openIndex(this.workspace);
      else if (isUnwritable(error) && this.#index.isShared) {
        await this.#index.close();
        this.#index = await openTemporaryIndex();
      } else throw error;
      return await work(this.#index);
    }
  }
}

async function openIndex({ home }: Workspace): Promise<StateIndex> {
  return await openStateIndex(join(home, "index.sqlite")).catch((error: unknown) => {
    if (isUnwritable(error)) return openTemporaryIndex();
    throw error;
  });
}

function isUnwritable(error: unknown): boolean {
  return error instanceof SkeinError && (error.kind === "filesystem" || error.kind === "resource_exhausted");
}

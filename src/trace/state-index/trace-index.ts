import type { Workspace } from "../../workspace/internal.ts";
import { readTransitionOf } from "../record/history.ts";
import { keepIndex, type KeptIndex } from "./kept-index.ts";
import type { ConversationSummary, IndexedState, StateQuery, StateTotals } from "./state-index.ts";
import type { Transition } from "../record/transition.ts";

/** Everything that was recorded in a workspace, to be found again. It is brought up to date with the store as it is asked. */
export class TraceIndex implements AsyncDisposable {
  readonly workspace: Workspace;
  readonly #index: KeptIndex;

  private constructor(workspace: Workspace, index: KeptIndex) {
    this.workspace = workspace;
    this.#index = index;
  }

  /** Opens what was recorded in a workspace. */
  static async open(workspace: Workspace): Promise<TraceIndex> {
    return new TraceIndex(workspace, await keepIndex(workspace));
  }

  /** A turn by its own id; undefined where it is not recorded. */
  async byId(transitionId: string): Promise<Transition | undefined> {
    const known = await this.#index.ask((index) => index.byTransition(transitionId));
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
    return await this.#index.ask((index) => index.list(query));
  }

  /** Turns, tokens and money of the states that fit; each state counts once, however many conversations go through it. */
  async totals(query: StateQuery = {}): Promise<StateTotals> {
    return await this.#index.ask((index) => index.totals(query));
  }

  /** The conversations, the one changed last first. */
  async conversations(
    page: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<readonly ConversationSummary[]> {
    return await this.#index.ask((index) => index.conversations(page));
  }

  /** Makes the index anew from the store. */
  async reindex(): Promise<{ readonly states: number }> {
    return { states: await this.#index.reindex() };
  }

  async close(): Promise<void> {
    await this.#index.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

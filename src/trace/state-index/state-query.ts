import type { IndexedState } from "./indexed-state.ts";
import type { Outcome } from "../transition-file.ts";

/** Which states are asked for: those that fit everything that is given. */
export interface StateQuery {
  readonly conversationId?: string | undefined;
  /** The states that come directly after this one. */
  readonly parentId?: string | undefined;
  readonly kind?: IndexedState["kind"] | undefined;
  /** Recorded at this moment or later, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Recorded before this moment. */
  readonly until?: number | undefined;
  readonly minCostUsd?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  /** The turn called this tool. */
  readonly tool?: string | undefined;
  /** Words that must all occur in the prompt or the response; `"a phrase"` and `begin*` are understood. */
  readonly text?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** Turns that failed or were interrupted; with `false`, turns that completed or were cancelled. */
  readonly isError?: boolean | undefined;
  /** States with a reward of this name, within these bounds, both inclusive. */
  readonly reward?: { readonly name: string; readonly min?: number; readonly max?: number } | undefined;
  /** "newest" unless given. "cost" and "reward" begin with the highest; "reward" goes by the named one, else by the best. */
  readonly order?: "newest" | "oldest" | "cost" | "reward" | undefined;
  /** How many at most; all of them unless given. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

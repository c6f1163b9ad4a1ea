import type { SkeinEvent, Usage } from "../core/internal.ts";

/** What search is written against: states to come back to, and steps from them. */
export interface Environment<State, Step extends StepOutcome = StepOutcome> extends AsyncDisposable {
  /** Takes the present state, to be come back to; a name makes it findable. */
  checkpoint(name?: string): Promise<State>;
  /**
   * Runs a prompt from a state, apart from everything else that runs, and leaves the present state alone. It rejects only
   * where nothing was spent: a turn that failed, was cancelled or reached a limit resolves with what it cost.
   */
  exploreFrom(state: State, prompt: string, options?: ExploreOptions<State, Step>): Promise<Exploration<State, Step>>;
  /** Makes a state the present one. */
  restore(state: State): Promise<unknown>;
  /** A state as text that stays the same between processes: equal states, equal keys. */
  keyOf(state: State): string;
  /** Brings an exploration back by the key of the state that it led to; undefined where it is gone. */
  recall?(key: string): Promise<Exploration<State, Step> | undefined>;
  /** Begins to tell of a search to whoever looks on, under a run of its own; they may have it stopped. */
  tellOf?(strategy: string, stop: () => void): Promise<SearchLog>;
}

/** Where a search tells what happens in it, for whoever looks on, now or later. */
export interface SearchLog extends Disposable {
  /** The run under which it is told of. */
  readonly run: string;
  add(event: { readonly type: string }): void;
}

/** What search has to know of a step. A `Transition` of the trace is one. */
export interface StepOutcome {
  readonly execution: {
    readonly costUsd: number;
    readonly usage: Usage;
    readonly durationMs: number;
    /** Model responses that it took. */
    readonly responses: number;
    readonly isError: boolean;
  };
  /** Whether a tool call failed or was denied. */
  hasToolErrors(): boolean;
}

/** What an exploration led to. */
export interface Exploration<State, Step> {
  readonly state: State;
  readonly transition: Step;
  /** What the judge made of it; none where there was no judge, or the judge had no opinion. */
  readonly reward?: Reward;
  /** Whether it was recorded before, and cost nothing now. */
  readonly isReused?: boolean;
}

/** What holds for one exploration. */
export interface ExploreOptions<State, Step> {
  readonly signal?: AbortSignal;
  /** The turn is stopped after the message that reaches it. */
  readonly maxCostUsd?: number;
  /** The turn is stopped after the message that reaches it; counted as by `tokensOf`. */
  readonly maxTokens?: number;
  /** The moment at which the turn has to be over, in milliseconds since the epoch. */
  readonly deadline?: number;
  /** Asked for the reward while the branch is still there; not asked about a turn that was cancelled. */
  readonly judge?: Judge<State, Step>;
  /** The run of the search that it is part of: what is recorded of it says so. */
  readonly searchId?: string;
  /** Told what happens in the turn, as it happens, by an environment whose turns have events. */
  readonly onEvent?: (event: SkeinEvent) => void;
}

/** A number given to a transition, and what it is made of. More is better. */
export interface Reward {
  readonly value: number;
  /** The numbers that it was made of, by name. */
  readonly parts: Readonly<Record<string, number>>;
  /** What is worth reading about it, by name: the end of a command's output, why a report could not be read. */
  readonly notes?: Readonly<Record<string, string>>;
}

/** What a reward function works with beside the exploration. */
export interface RewardContext {
  /** Aborted when the search is not interested any more. */
  readonly signal: AbortSignal;
  /** The branch's directory, while it is there; none where states have no files. */
  readonly directory?: string;
  /** Gives the command that runs another inside the branch, where its directory cannot be seen from outside. */
  readonly enter?: (argv: readonly string[]) => readonly string[];
}

/** What an environment asks for the reward. It does not throw: search keeps the failure, and gives undefined. */
export type Judge<State, Step> = (
  exploration: Exploration<State, Step>,
  context: RewardContext,
) => Promise<Reward | undefined>;

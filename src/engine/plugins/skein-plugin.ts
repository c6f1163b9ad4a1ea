import type { Clock, ErrorKind, ErrorRecord, SkeinError, SkeinEvent, TurnResult } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { ClaudePrompt } from "../prompts/claude-prompt.ts";

/** Looks at turns, and may change them, at the moments it has a hook for. Hooks may be asynchronous. */
export interface SkeinPlugin {
  /** Tells it from the others in reports and metrics. */
  readonly name: string;
  /** Before a turn: may change its prompt and options, or refuse it. */
  beforeQuery?(turn: PluginTurn): Answer<TurnChange | TurnRefusal | void>;
  /** At each event: gives what to hand on, itself, others or nothing. A turn's start and end can be changed, but neither dropped nor made. */
  onMessage?(event: SkeinEvent, turn: PluginTurn): Answer<SkeinEvent | readonly SkeinEvent[] | undefined>;
  /** When a turn failed: may ask for another attempt, once in a turn. */
  onError?(failure: TurnFailure, turn: PluginTurn): Answer<TurnRetry | void>;
  /** After a turn, always once, a refused one too. There is no result where the stream was left early, or no turn could be run. */
  afterQuery?(result: TurnResult | undefined, turn: PluginTurn): Answer<void>;
  /** Numbers for whoever watches, see `collectMetrics`. */
  metrics?(): Readonly<Record<string, number>>;
}

/** What a hook gives back, at once or later. */
export type Answer<Value> = Value | Promise<Value>;

/** The turn that a hook is called for, as the plugins before have left it. */
export interface PluginTurn {
  /** Tells turns that run at the same time apart. */
  readonly id: string;
  readonly prompt: ClaudePrompt;
  readonly options: ClaudeOptions;
  /** 1, and one more for each retry that a plugin asked for. */
  readonly attempt: number;
}

/** A turn run otherwise than it was asked for. */
export interface TurnChange {
  readonly prompt?: ClaudePrompt;
  /** Put over the options of the turn. */
  readonly options?: ClaudeOptions;
}

/** A turn that is not run: it ends at once, with a result that says why. */
export interface TurnRefusal {
  /** Why, as a sentence for a person. */
  readonly refuse: string;
  /** The kind of the result's error; `policy` by default. */
  readonly kind?: ErrorKind;
  readonly hint?: string;
}

/** A failed turn that is to be run again, as it was or changed. */
export interface TurnRetry extends TurnChange {
  readonly retry: true;
}

/** How a turn failed. */
export interface TurnFailure {
  readonly error: ErrorRecord;
  readonly result: TurnResult;
}

/** A hook that failed; the turn went on without it. */
export interface PluginFailure {
  readonly plugin: string;
  readonly hook: string;
  readonly error: SkeinError;
}

/** How plugins are run. */
export interface WithPluginsOptions {
  /** Told of every hook that failed; the stream has a `plugin-error` status for it too. */
  readonly onPluginError?: (failure: PluginFailure) => void;
  /** Attempts that all plugins together may ask for in a turn; 3 by default. */
  readonly maxPluginRetries?: number;
  /** How long a hook may take before the turn goes on without it; 30 seconds by default. */
  readonly hookTimeoutMs?: number;
  readonly clock?: Clock;
}

/** The same with its defaults filled in, and the plugins. */
export type PluginSettings = Required<Omit<WithPluginsOptions, "onPluginError">> &
  Pick<WithPluginsOptions, "onPluginError"> & { readonly plugins: readonly SkeinPlugin[] };

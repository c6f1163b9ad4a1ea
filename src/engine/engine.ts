import type { SkeinEvent, TurnResult } from "../core/index.ts";
import type { ClaudePrompt } from "./claude-prompt.ts";
import type { ClaudeOptions, PermissionMode } from "./claude-options.ts";
import type { TurnOptions } from "./turns/turn-options.ts";

/** What runs a turn: a prompt in, events out, a result at the end. */
export interface Engine {
  /**
   * Runs one turn. The events end with `turn-end`, whose result is also what the iterator returns. A turn that
   * fails ends with a result that says so; what is thrown is only what kept the turn from being run at all.
   */
  stream(prompt: ClaudePrompt, options?: ClaudeOptions): AsyncGenerator<SkeinEvent, TurnResult, void>;
  /** Runs one turn and gives its result. */
  execute(prompt: ClaudePrompt, options?: ClaudeOptions): Promise<TurnResult>;
  /** Opens a session that keeps its process from one turn to the next. An engine that cannot starts anew each turn. */
  open?(options?: ClaudeOptions): EngineSession;
}

/** Turns one after the other in one session. */
export interface EngineSession extends AsyncDisposable {
  /** Runs the next turn, and waits for the tasks that it sent to the background. */
  stream(prompt: ClaudePrompt, options?: TurnOptions): AsyncGenerator<SkeinEvent, TurnResult, void>;
  /** Says more while a turn runs: it becomes part of that turn. */
  addPrompt?(prompt: ClaudePrompt): Promise<void>;
  /** Another model, from the next response on. */
  setModel?(model: string): Promise<void>;
  /** Another permission mode, from the next tool call on. */
  setPermissionMode?(mode: PermissionMode): Promise<void>;
}

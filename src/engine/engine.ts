import {
  SkeinError,
  drain,
  errorFromRecord,
  type SkeinEvent,
  type TurnResult,
  type TurnStream,
} from "../core/internal.ts";
import type { ClaudeOptions, PermissionMode } from "./options/claude-options.ts";
import type { PromptInput } from "./prompts/claude-prompt.ts";
import type { TurnOptions } from "./options/parse-options.ts";

/** What runs a turn: a prompt in, events out, a result at the end. */
export interface Engine {
  /** Runs one turn; its events end with `turn-end`. A failed turn has a result too: thrown is only what kept a turn from being run at all. */
  stream(prompt: PromptInput, options?: ClaudeOptions): TurnStream;
  /** Runs one turn and gives its result, also that of a turn that failed. */
  execute(prompt: PromptInput, options?: ClaudeOptions): Promise<TurnResult>;
  /** Runs one turn and gives its result, for callers who use `try`: a turn that fails rejects with its error, a ClaudeAuthError for example. */
  run(prompt: PromptInput, options?: ClaudeOptions): Promise<TurnResult>;
  /** Opens a session that keeps its process from one turn to the next. An engine that cannot starts anew each turn. */
  open?(options?: ClaudeOptions): EngineSession;
  /** The same for turns that it would run in the same way, whatever they ask. An engine that does not tell is another in every process. */
  settingsKey?(options?: ClaudeOptions): string;
}

/** Turns one after the other in one session. */
export interface EngineSession extends AsyncDisposable {
  /** Runs the next turn, and waits for the tasks that it sent to the background. */
  stream(prompt: PromptInput, options?: TurnOptions): TurnStream;
  /** Says more while a turn runs: it becomes part of that turn. */
  addPrompt?(prompt: PromptInput): Promise<void>;
  /** Another model, from the next response on. */
  setModel?(model: string): Promise<void>;
  /** Another permission mode, from the next tool call on. */
  setPermissionMode?(mode: PermissionMode): Promise<void>;
}

/** An engine of a stream alone: what else runs a turn follows from it. */
export function createEngine(stream: Engine["stream"]): Pick<Engine, "stream" | "execute" | "run"> {
  const execute: Engine["execute"] = async (prompt, options) => await drain(stream(prompt, options));
  return { stream, execute, run: async (prompt, options) => orThrow(await execute(prompt, options)) };
}

/** Hands on the events of a turn as `map` gives them, and returns the result that its end carries. */
export async function* throughTurn(
  events: AsyncIterable<SkeinEvent>,
  map: (event: SkeinEvent) => readonly SkeinEvent[],
): TurnStream {
  let result: TurnResult | undefined;
  for await (const event of events) {
    for (const shown of map(event)) {
      if (shown.type === "turn-end") result = shown.result;
      yield shown;
    }
  }
  if (result) return result;
  throw new SkeinError("The engine ended without turn-end", { kind: "runtime" });
}

/** A good result as it is; the error of a failed one is thrown, as the class that it was. */
export function orThrow(result: TurnResult): TurnResult {
  if (!result.isError) return result;
  throw result.error ? errorFromRecord(result.error) : new SkeinError("The turn failed", { kind: "runtime" });
}

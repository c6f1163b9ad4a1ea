import type { SkeinError } from "../../core/index.ts";
import type { PromptExecuted, PromptRendered, ToolInvoked } from "./prompt-events.ts";

/** Anything with a type can be dispatched. */
export interface DispatchEvent {
  readonly type: string;
}

/** The events that evaluations dispatch, by their types. */
export interface PromptEvents {
  readonly "prompt-rendered": PromptRendered;
  readonly "tool-invoked": ToolInvoked;
  readonly "prompt-executed": PromptExecuted;
}

/** Something that went wrong while an event was handed on; nobody else was stopped by it. */
export interface DispatchError {
  readonly source: "reducer" | "handler" | "file";
  /** The slice of the reducer, the type that the handler subscribed to, or the path of the file. */
  readonly name: string;
  readonly error: SkeinError;
}

/** What became of a dispatched event. */
export interface DispatchResult<Event extends DispatchEvent = DispatchEvent> {
  readonly event: Event;
  /** How many handlers were called. */
  readonly handled: number;
  readonly errors: readonly DispatchError[];
  /** Whether there were no errors. */
  readonly ok: boolean;
}

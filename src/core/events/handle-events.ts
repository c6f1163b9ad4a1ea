import type {
  ErrorEvent,
  SkeinEvent,
  StatusEvent,
  TextDeltaEvent,
  TextEvent,
  ToolEndEvent,
  ToolStartEvent,
  TurnEndEvent,
  TurnResult,
} from "./event.ts";
import { SkeinError } from "../errors.ts";

/** Called with an event; a promise is awaited before the next event is asked for. */
export type EventCallback<Event extends SkeinEvent> = (event: Event) => unknown;

/** What to do at which event. */
export interface EventCallbacks {
  /** At every event, before the callback of its own type. */
  readonly onEvent?: EventCallback<SkeinEvent>;
  /** At a whole block of text. */
  readonly onText?: EventCallback<TextEvent>;
  /** At a piece of text as it is being written. */
  readonly onTextDelta?: EventCallback<TextDeltaEvent>;
  readonly onToolStart?: EventCallback<ToolStartEvent>;
  readonly onToolEnd?: EventCallback<ToolEndEvent>;
  /** At a failure on the way; whether the turn failed in the end, its result says. */
  readonly onError?: EventCallback<ErrorEvent>;
  readonly onStatus?: EventCallback<StatusEvent>;
  /** At the end of the turn, failed or not. */
  readonly onResult?: EventCallback<TurnEndEvent>;
}

/**
 * Runs a stream of events to its end by callbacks, and gives the turn's result. A callback that throws ends the
 * stream, and with it the turn, and is what the promise rejects with.
 */
export async function handleEvents(stream: AsyncIterable<SkeinEvent>, callbacks: EventCallbacks): Promise<TurnResult> {
  let result: TurnResult | undefined;
  for await (const event of stream) {
    await callbacks.onEvent?.(event);
    const own = CALLBACKS[event.type];
    if (own) await (callbacks[own] as EventCallback<SkeinEvent> | undefined)?.(event);
    if (event.type === "turn-end") result = event.result;
  }
  if (result) return result;
  throw new SkeinError("The events ended without turn-end", {
    kind: "runtime",
    hint: "Pass the whole stream of a turn, not part of it.",
  });
}

/** The types that have a callback of their own. */
const CALLBACKS: Partial<Readonly<Record<SkeinEvent["type"], keyof EventCallbacks>>> = {
  text: "onText",
  "text-delta": "onTextDelta",
  "tool-start": "onToolStart",
  "tool-end": "onToolEnd",
  error: "onError",
  status: "onStatus",
  "turn-end": "onResult",
};

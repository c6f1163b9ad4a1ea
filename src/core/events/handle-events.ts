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
    await callOwn(event, callbacks);
    if (event.type === "turn-end") result = event.result;
  }
  if (result) return result;
  throw new SkeinError("The events ended without turn-end", {
    kind: "runtime",
    hint: "Pass the whole stream of a turn, not part of it.",
  });
}

async function callOwn(event: SkeinEvent, callbacks: EventCallbacks): Promise<void> {
  switch (event.type) {
    case "text":
      return void (await callbacks.onText?.(event));
    case "text-delta":
      return void (await callbacks.onTextDelta?.(event));
    case "tool-start":
      return void (await callbacks.onToolStart?.(event));
    case "tool-end":
      return void (await callbacks.onToolEnd?.(event));
    case "error":
      return void (await callbacks.onError?.(event));
    case "status":
      return void (await callbacks.onStatus?.(event));
    case "turn-end":
      return void (await callbacks.onResult?.(event));
    case "turn-start":
    case "thinking":
    case "thinking-delta":
    case "signature-delta":
    case "tool-input-delta":
    case "usage":
    case "state-recorded":
    case "unknown":
    case "custom":
      return;
  }
}

import { SkeinError } from "../errors.ts";
import type { EventOf, SkeinEvent, TurnResult } from "./event.ts";

/** Called with an event; a promise is awaited before the next event is asked for. */
type EventCallback<Type extends SkeinEvent["type"]> = (event: EventOf<Type>) => unknown;

/** What to do at which event. */
export interface EventCallbacks {
  /** At every event, before the callback of its own type. */
  readonly onEvent?: (event: SkeinEvent) => unknown;
  /** At a whole block of text. */
  readonly onText?: EventCallback<"text">;
  /** At a piece of text as it is being written. */
  readonly onTextDelta?: EventCallback<"text-delta">;
  readonly onToolStart?: EventCallback<"tool-start">;
  readonly onToolEnd?: EventCallback<"tool-end">;
  /** At a failure on the way; whether the turn failed in the end, its result says. */
  readonly onError?: EventCallback<"error">;
  readonly onStatus?: EventCallback<"status">;
  /** At the end of the turn, failed or not. */
  readonly onResult?: EventCallback<"turn-end">;
}

/** Runs a turn's events to their end by callbacks, and gives its result. A callback that throws ends the turn and rejects the promise. */
export async function handleEvents(stream: AsyncIterable<SkeinEvent>, callbacks: EventCallbacks): Promise<TurnResult> {
  let result: TurnResult | undefined;
  for await (const event of stream) {
    await callbacks.onEvent?.(event);
    const own = CALLBACKS[event.type];
    if (own) await (callbacks[own] as EventCallbacks["onEvent"])?.(event);
    if (event.type === "turn-end") result = event.result;
  }
  if (result) return result;
  throw new SkeinError("The events ended without turn-end", {
    kind: "runtime",
    hint: "Pass the whole stream of a turn, not part of it.",
  });
}

const CALLBACKS: Partial<Readonly<Record<SkeinEvent["type"], keyof EventCallbacks>>> = {
  text: "onText",
  "text-delta": "onTextDelta",
  "tool-start": "onToolStart",
  "tool-end": "onToolEnd",
  error: "onError",
  status: "onStatus",
  "turn-end": "onResult",
};

import type { EventOf, SkeinEvent, ToolEndEvent, ToolStartEvent, TurnEndEvent } from "./event.ts";

/** Whether an event is of the given type, or of one of several. */
export function isEvent<Type extends SkeinEvent["type"]>(
  event: SkeinEvent,
  ...types: readonly [Type, ...Type[]]
): event is EventOf<Type> {
  return types.some((type) => type === event.type);
}

/** Lets failures through: errors on the way, and the end of a turn that failed, which may have had none on the way. */
export function errorsOnly(
  event: SkeinEvent,
): event is EventOf<"error"> | (TurnEndEvent & { readonly result: { readonly isError: true } }) {
  return event.type === "error" || (event.type === "turn-end" && event.result.isError);
}

/** Lets the ends of turns through, with their results. */
export function resultsOnly(event: SkeinEvent): event is TurnEndEvent {
  return event.type === "turn-end";
}

/** Lets the begin and the end of every tool call through. */
export function toolActivity(event: SkeinEvent): event is ToolStartEvent | ToolEndEvent {
  return isEvent(event, "tool-start", "tool-end");
}

/** The events of a stream that a guard lets through, as `filter` gives those of a list. Ending it ends the stream. */
export function filterEvents<Kept extends SkeinEvent>(
  stream: AsyncIterable<SkeinEvent>,
  guard: (event: SkeinEvent) => event is Kept,
): AsyncGenerator<Kept, void, void>;
/** The events of a stream for which a test holds. Ending it ends the stream. */
export function filterEvents(
  stream: AsyncIterable<SkeinEvent>,
  test: (event: SkeinEvent) => boolean,
): AsyncGenerator<SkeinEvent, void, void>;
export async function* filterEvents(
  stream: AsyncIterable<SkeinEvent>,
  test: (event: SkeinEvent) => boolean,
): AsyncGenerator<SkeinEvent, void, void> {
  for await (const event of stream) if (test(event)) yield event;
}

import type { SkeinEvent } from "./event.ts";

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

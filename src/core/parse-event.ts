import { z } from "zod";
import { isoTime, systemClock, type Clock } from "./clock.ts";
import type { SkeinEvent, UnknownEvent } from "./event.ts";
import { eventBase, eventSchema } from "./event-schema.ts";
import { SkeinError } from "./skein-error.ts";

const KNOWN_TYPES: ReadonlySet<string> = new Set(eventSchema.options.map(({ shape }) => shape.type.value));

const anyEvent = z.looseObject({ type: z.string() });

/**
 * Reads an event back from JSON; `JSON.stringify` is the way there. A type that this version does not know becomes an
 * `unknown` event with all of it in `raw`.
 */
export function parseEvent(json: unknown, clock: Clock = systemClock): SkeinEvent {
  const { type } = check(anyEvent, json);
  return KNOWN_TYPES.has(type) ? check(eventSchema, json) : toUnknown(json as object, clock);
}

/** What the event shares with every other is kept where it is as it is in ours. */
function toUnknown(raw: object, clock: Clock): UnknownEvent {
  const own = (field: keyof typeof eventBase): object => {
    const value = (raw as Readonly<Record<string, unknown>>)[field];
    return value !== undefined && eventBase[field].safeParse(value).success ? { [field]: value } : {};
  };
  const timestamp = isoTime(clock.now());
  return { timestamp, ...own("timestamp"), ...own("sessionId"), ...own("parentToolUseId"), type: "unknown", raw };
}

function check<Value>(schema: z.ZodType<Value>, json: unknown): Value {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = z.core.toDotPath(issue?.path ?? []);
  throw new SkeinError(`Not an event${path ? `, at ${path}` : ""}: ${issue?.message}`, {
    kind: "parse",
    ...(path ? { target: path } : {}),
    cause: parsed.error,
  });
}

import { z } from "zod";
import { isoTime, systemClock, type Clock } from "../clock.ts";
import { SkeinError } from "../errors.ts";
import { parseEvent, type EventOf, type SkeinEvent } from "./event.ts";

/** An event of one caller's kind: a `custom` event whose data is known. */
export interface DefinedEvent<Name extends string, Data> extends EventOf<"custom"> {
  readonly name: Name;
  readonly data: Data;
}

/** A kind of event that a caller added: how its events are made, told and read. */
export interface EventKind<Name extends string, Data> {
  readonly name: Name;
  /** Makes an event; data that the schema refuses is an error of kind `parse`. */
  create(data: Data, about?: Pick<SkeinEvent, "sessionId" | "parentToolUseId" | "raw">): DefinedEvent<Name, Data>;
  /** Whether an event is of this kind, its data included. */
  is(event: SkeinEvent): event is DefinedEvent<Name, Data>;
  /** Reads an event of this kind from JSON; anything else is an error of kind `parse`. */
  parse(json: unknown): DefinedEvent<Name, Data>;
}

/** Adds a kind of event. It travels as a `custom` event, so that whoever does not know it can still carry it. */
export function defineEvent<const Name extends string, Data>(
  kind: {
    /** The word that tells these events from others. */
    readonly name: Name;
    /** Checks the data, and leaves it as it is: what was made is what is read. */
    readonly schema: z.ZodType<Data, Data>;
  },
  clock: Clock = systemClock,
): EventKind<Name, Data> {
  const { name, schema } = kind;
  const is = (event: SkeinEvent): event is DefinedEvent<Name, Data> =>
    event.type === "custom" && event.name === name && schema.safeParse(event.data).success;
  const check = (event: SkeinEvent): DefinedEvent<Name, Data> => {
    if (is(event)) return event;
    throw refusal(name, event, schema);
  };

  return {
    name,
    create: (data, about = {}) => check({ ...about, type: "custom", timestamp: isoTime(clock.now()), name, data }),
    is,
    parse: (json) => check(parseEvent(json, clock)),
  };
}

function refusal(name: string, event: SkeinEvent, schema: z.ZodType): SkeinError {
  if (event.type !== "custom" || event.name !== name) {
    const actual = event.type === "custom" ? event.name : event.type;
    return new SkeinError(`The event is ${actual}, not ${name}`, { kind: "parse", target: "name" });
  }
  const issue = schema.safeParse(event.data).error?.issues[0];
  const path = z.core.toDotPath(["data", ...(issue?.path ?? [])]);
  return new SkeinError(`Not a ${name} event, at ${path}: ${issue?.message}`, { kind: "parse", target: path });
}

import { SkeinError } from "../../core/index.ts";
import type { StandardSchemaV1 } from "../standard-schema.ts";
import type { Reducer } from "./reducers.ts";
import type { PromptEvents } from "./session-event.ts";

/** Whether a slice is taken back with a failed transaction (`state`), or tells what happened whatever came of it (`log`). */
export type SlicePolicy = "state" | "log";

/** One kind of thing that a session remembers: a list of items of one shape. */
export interface SliceDefinition<Item> {
  readonly name: string;
  /** What the items have to be, as JSON; it has to accept what it gives, since items are read again from files. */
  readonly schema: StandardSchemaV1<unknown, Item>;
  readonly policy: SlicePolicy;
  readonly on: Readonly<Record<string, Reducer<Item, never>>>;
}

/** The reducers of a slice by event type; the events of evaluations are known by their types. */
export type Reducers<Item, Type extends string> = {
  readonly [Key in Type]: Reducer<Item, Key extends keyof PromptEvents ? PromptEvents[Key] : never>;
};

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/u;

/** Defines a slice; `policy` is `state` where it is left out. */
export function defineSlice<Item, Type extends string = never>(definition: {
  readonly name: string;
  readonly schema: StandardSchemaV1<unknown, Item>;
  readonly policy?: SlicePolicy;
  readonly on?: Reducers<Item, Type>;
}): SliceDefinition<Item> {
  const { name, schema, policy = "state", on } = definition;
  if (!NAME.test(name)) {
    throw new SkeinError(`A slice cannot be named ${JSON.stringify(name)}`, {
      kind: "usage",
      target: name,
      hint: "1 to 64 of a-z, 0-9, '.', '_' and '-', the first a letter or a digit",
    });
  }
  return Object.freeze({ name, schema, policy, on: Object.freeze({ ...on }) });
}

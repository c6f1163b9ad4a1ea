import type { StandardSchemaV1 } from "../output/standard-schema.ts";
import { NAME, NAME_HINT, usageError } from "../usage-error.ts";
import type { PromptEvents } from "./prompt-events.ts";
import type { Reducer } from "./reducers.ts";

/** What a session remembers of one kind. */
export interface Slice<Item> {
  readonly latest: Item | undefined;
  /** All items, oldest first: those of now, in a list of its own. */
  readonly all: readonly Item[];
  where(predicate: (item: Item) => boolean): readonly Item[];
  /** Puts these items in the place of all. */
  seed(items: readonly Item[]): void;
  append(item: Item): void;
  /** Takes out the items that the predicate holds for; all where it is left out. */
  clear(predicate?: (item: Item) => boolean): void;
}

export function createSlice<Item>(
  items: () => readonly Item[],
  change: (next: (items: readonly Item[]) => readonly Item[]) => void,
): Slice<Item> {
  return {
    get latest() {
      return items().at(-1);
    },
    get all() {
      return [...items()];
    },
    where: (predicate) => items().filter(predicate),
    seed(seeds) {
      const copy = [...seeds];
      change(() => copy);
    },
    append: (item) => change((present) => [...present, item]),
    clear: (predicate = () => true) => change((present) => present.filter((item) => !predicate(item))),
  };
}

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

/** Defines a slice; `policy` is `state` where it is left out. */
export function defineSlice<Item, Type extends string = never>(
  definition: Pick<SliceDefinition<Item>, "name" | "schema"> & {
    readonly policy?: SlicePolicy;
    readonly on?: Reducers<Item, Type>;
  },
): SliceDefinition<Item> {
  const { name, schema, policy = "state", on } = definition;
  if (!NAME.test(name)) throw usageError(name, `A slice cannot be named ${JSON.stringify(name)}`, NAME_HINT);
  return Object.freeze({ name, schema, policy, on: Object.freeze({ ...on }) });
}

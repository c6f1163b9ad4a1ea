import { SkeinError, toSkeinError } from "../../core/index.ts";
import { describeIssues } from "../output/standard-schema.ts";
import type { DispatchError, DispatchEvent } from "./dispatcher.ts";
import type { SliceDefinition, SlicePolicy } from "./slice.ts";

/** A slice of whatever items. */
export type AnySlice = SliceDefinition<unknown>;

/** What a slice holds. */
export interface SliceContents {
  readonly policy: SlicePolicy;
  readonly items: readonly unknown[];
}

/** What became of one slice: items that were added, or all that there are now. */
export interface SliceChange extends SliceContents {
  readonly slice: string;
  readonly change: "append" | "replace";
}

/** The slices of one session, in memory. What it is given is checked before anything is changed. */
export interface SliceStore {
  /** Makes a slice known; what a file had of it is checked now. */
  install(definition: AnySlice): void;
  items(name: string): readonly unknown[];
  /** Hands an event to the reducers of all slices, or of those with the policy. */
  reduce(
    event: DispatchEvent,
    policy?: SlicePolicy,
  ): { readonly changes: readonly SliceChange[]; readonly errors: readonly DispatchError[] };
  update(name: string, items: readonly unknown[]): SliceChange | undefined;
  contents(): Readonly<Record<string, SliceContents>>;
  /** Makes the state slices what they were; log slices stay. */
  restore(slices: Readonly<Record<string, SliceContents>>): readonly SliceChange[];
  /** Takes changes from a file; a slice that is not known is kept as it is. */
  load(changes: Iterable<SliceChange>): void;
}

interface Held extends SliceContents {
  /** Undefined of a slice that a file has and the program has not used yet. */
  readonly definition?: AnySlice;
}

/** Makes a store without slices. */
export function createSliceStore(): SliceStore {
  const held = new Map<string, Held>();
  const admit = createAdmission();

  const set = (name: string, next: readonly unknown[]): SliceChange | undefined => {
    const slice = held.get(name);
    const shared = slice ? sharedLength(slice.items, next) : 0;
    if (!slice || (shared === next.length && shared === slice.items.length)) return undefined;
    const { definition, policy, items: old } = slice;
    const added = admit(definition, next.slice(shared));
    const items = [...old.slice(0, shared), ...added];
    held.set(name, { ...slice, items });
    return shared === old.length
      ? { slice: name, policy, change: "append", items: added }
      : { slice: name, policy, change: "replace", items };
  };

  return {
    install(definition) {
      const slice = held.get(definition.name);
      if (slice?.definition === definition) return;
      if (slice?.definition) throw taken(definition.name);
      const { name, policy } = definition;
      held.set(name, { definition, policy, items: admit(definition, slice?.items ?? []) });
    },
    items: (name) => held.get(name)?.items ?? [],
    update: set,
    reduce(event, policy) {
      const changes: SliceChange[] = [];
      const errors: DispatchError[] = [];
      for (const [name, slice] of held) {
        if (policy && policy !== slice.policy) continue;
        try {
          const change = set(name, reduceItems(slice, event));
          if (change) changes.push(change);
        } catch (thrown) {
          errors.push({ source: "reducer", name, error: toSkeinError(thrown) });
        }
      }
      return { changes, errors };
    },
    contents: () => Object.fromEntries([...held].map(([name, { policy, items }]) => [name, { policy, items }])),
    restore(slices) {
      // A snapshot from a file may know a slice that nobody has used in this process yet.
      for (const [name, { policy }] of Object.entries(slices)) {
        if (!held.has(name)) held.set(name, { policy, items: [] });
      }
      const state = [...held].filter(([, { policy }]) => policy === "state");
      const before = state.map(([name, slice]) => [name, admit(slice.definition, slices[name]?.items ?? [])] as const);
      return before.map(([name, items]) => set(name, items)).filter((change) => change !== undefined);
    },
    load(changes) {
      for (const [name, { policy, items }] of fold(changes)) {
        const slice = held.get(name);
        held.set(name, slice ? { ...slice, items: admit(slice.definition, items) } : { policy, items });
      }
    },
  };
}

function reduceItems({ definition, items }: Held, event: DispatchEvent): readonly unknown[] {
  const reducer = definition && Object.hasOwn(definition.on, event.type) ? definition.on[event.type] : undefined;
  return reducer ? reducer(items, event as never) : items;
}

function fold(changes: Iterable<SliceChange>): Map<string, { policy: SlicePolicy; items: unknown[] }> {
  const folded = new Map<string, { policy: SlicePolicy; items: unknown[] }>();
  for (const { slice, policy, change, items } of changes) {
    const present = change === "append" ? folded.get(slice) : undefined;
    if (present) for (const item of items) present.items.push(item);
    else folded.set(slice, { policy, items: [...items] });
  }
  return folded;
}

/** How many items both begin with. Those are known to be of the slice's shape. */
function sharedLength(left: readonly unknown[], right: readonly unknown[]): number {
  const end = Math.min(left.length, right.length);
  let length = 0;
  while (length < end && left[length] === right[length]) length += 1;
  return length;
}

function taken(name: string): SkeinError {
  return new SkeinError(`The session has another slice named ${name}`, {
    kind: "usage",
    target: name,
    hint: "Define the slice once and use that definition everywhere",
  });
}

/** Takes items into slices; those that a slice has taken before are known and not checked again. */
function createAdmission(): (slice: AnySlice | undefined, items: readonly unknown[]) => readonly unknown[] {
  const admitted = new WeakMap<AnySlice, WeakSet<object>>();
  return (slice, items) => {
    // Nothing is known of the items of a slice that only a file tells of: they stay what they are.
    if (!slice) return items;
    const known = admitted.get(slice) ?? new WeakSet();
    admitted.set(slice, known);
    const admit = (item: unknown): unknown => {
      if (typeof item === "object" && item !== null && known.has(item)) return item;
      const copy = admitItem(slice, item);
      if (typeof copy === "object" && copy !== null) known.add(copy);
      return copy;
    };
    return items.map(admit);
  };
}

/**
 * Takes an item into a slice: a copy as JSON, as a file would give it back, then checked by the schema and frozen. So
 * whoever keeps the original cannot change what the session remembers, and what is kept can be read again.
 */
function admitItem(slice: AnySlice, item: unknown): unknown {
  const result = slice.schema["~standard"].validate(copyAsJson(slice.name, item));
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw refused(slice.name, "its schema is asynchronous", "Use a schema without asynchronous checks");
  }
  if (result.issues === undefined) return freeze(result.value);
  const why = describeIssues(result.issues.slice(0, 1));
  throw refused(slice.name, why, "Give items that the slice's schema accepts");
}

function copyAsJson(slice: string, item: unknown): unknown {
  try {
    // What has no JSON at all, such as a function, gives undefined, which does not parse.
    return JSON.parse(JSON.stringify(item)) as unknown;
  } catch (cause) {
    throw refused(slice, "it cannot be written as JSON", "Give plain data", cause);
  }
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

function refused(slice: string, why: string, hint: string, cause?: unknown): SkeinError {
  return new SkeinError(`The slice ${slice} rejected an item: ${why}`, {
    kind: "usage",
    target: slice,
    hint,
    cause,
  });
}

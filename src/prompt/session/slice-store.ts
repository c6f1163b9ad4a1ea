import { ownValue, SkeinError, toSkeinError } from "../../core/internal.ts";
import { describeIssues } from "../output/standard-schema.ts";
import { usageError } from "../usage-error.ts";
import type { DispatchError, DispatchEvent } from "./dispatcher.ts";
import type { SliceDefinition, SlicePolicy } from "./slice.ts";

export type AnySlice = SliceDefinition<unknown>;

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
export type SliceStore = ReturnType<typeof createSliceStore>;

interface Held extends SliceContents {
  /** Undefined of a slice that a file has and the program has not used yet. */
  readonly definition?: AnySlice;
}

export function createSliceStore() {
  const held = new Map<string, Held>();
  const set = (name: string, next: readonly unknown[]): SliceChange | undefined => {
    const slice = held.get(name);
    const changed = slice && replaceItems(slice, next);
    if (!changed) return undefined;
    held.set(name, { ...slice, items: changed.all });
    return { slice: name, policy: slice.policy, change: changed.change, items: changed.items };
  };
  return {
    /** Makes a slice known; what a file had of it is checked now. */
    install(definition: AnySlice): void {
      const slice = held.get(definition.name);
      if (slice?.definition === definition) return;
      const { name, policy } = definition;
      if (slice?.definition) {
        const hint = "Define the slice once and use that definition everywhere";
        throw usageError(name, `The session has another slice named ${name}`, hint);
      }
      held.set(name, { definition, policy, items: admit(definition, slice?.items ?? []) });
    },
    items: (name: string) => held.get(name)?.items ?? [],
    update: set,
    /** Hands an event to the reducers of all slices, or of those with the policy. */
    reduce(event: DispatchEvent, policy?: SlicePolicy) {
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
    contents: (): Readonly<Record<string, SliceContents>> =>
      Object.fromEntries([...held].map(([name, { policy, items }]) => [name, { policy, items }])),
    /** Makes the state slices what they were; log slices stay. */
    restore(slices: Readonly<Record<string, SliceContents>>): readonly SliceChange[] {
      // A snapshot from a file may know a slice that nobody has used in this process yet.
      for (const [name, { policy }] of Object.entries(slices)) {
        if (!held.has(name)) held.set(name, { policy, items: [] });
      }
      const state = [...held].filter(([, { policy }]) => policy === "state");
      const before = state.map(([name, slice]) => [name, admit(slice.definition, slices[name]?.items ?? [])] as const);
      return before.map(([name, items]) => set(name, items)).filter((change) => change !== undefined);
    },
    /** Takes changes from a file; a slice that is not known is kept as it is. */
    load(changes: Iterable<SliceChange>): void {
      for (const [name, { policy, items }] of fold(changes)) {
        const slice = held.get(name);
        held.set(name, slice ? { ...slice, items: admit(slice.definition, items) } : { policy, items });
      }
    },
  };
}

/** All the items that a slice is to have, and what of that is news; undefined where it has them already. */
function replaceItems({ definition, items: old }: Held, next: readonly unknown[]) {
  // Items that both begin with are known to be of the slice's shape.
  const differing = old.findIndex((item, index) => index >= next.length || item !== next[index]);
  const shared = differing === -1 ? old.length : differing;
  if (shared === next.length && shared === old.length) return undefined;
  const added = admit(definition, next.slice(shared));
  const all = [...old.slice(0, shared), ...added];
  return shared === old.length
    ? ({ change: "append", items: added, all } as const)
    : ({ change: "replace", items: all, all } as const);
}

function reduceItems({ definition, items }: Held, event: DispatchEvent): readonly unknown[] {
  const reducer = definition && ownValue(definition.on, event.type);
  return reducer ? reducer(items, event as never) : items;
}

function fold(changes: Iterable<SliceChange>) {
  const folded = new Map<string, { policy: SlicePolicy; items: unknown[] }>();
  for (const { slice, policy, change, items } of changes) {
    const present = change === "append" ? folded.get(slice) : undefined;
    if (present) for (const item of items) present.items.push(item);
    else folded.set(slice, { policy, items: [...items] });
  }
  return folded;
}

const admitted = new WeakMap<AnySlice, WeakSet<object>>();

/** Takes items into a slice; those that it has taken before are known and not checked again. */
function admit(slice: AnySlice | undefined, items: readonly unknown[]): readonly unknown[] {
  // Nothing is known of the items of a slice that only a file tells of: they stay what they are.
  if (!slice) return items;
  const known = admitted.get(slice) ?? new WeakSet();
  admitted.set(slice, known);
  return items.map((item) => {
    if (typeof item === "object" && item !== null && known.has(item)) return item;
    const copy = admitItem(slice, item);
    if (typeof copy === "object" && copy !== null) known.add(copy);
    return copy;
  });
}

/**
 * Takes an item into a slice: a copy as JSON, as a file would give it back, then checked by the schema and frozen. So
 * whoever keeps the original cannot change what the session remembers, and what is kept can be read again.
 */
function admitItem(slice: AnySlice, item: unknown): unknown {
  const refused = (why: string, hint: string, cause?: unknown): SkeinError => {
    const message = `The slice ${slice.name} rejected an item: ${why}`;
    return new SkeinError(message, { kind: "usage", target: slice.name, hint, cause });
  };
  let copy: unknown;
  try {
    // What has no JSON at all, such as a function, gives undefined, which does not parse.
    copy = JSON.parse(JSON.stringify(item));
  } catch (cause) {
    throw refused("it cannot be written as JSON", "Give plain data", cause);
  }
  const result = slice.schema["~standard"].validate(copy);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw refused("its schema is asynchronous", "Use a schema without asynchronous checks");
  }
  if (result.issues === undefined) return freeze(result.value);
  throw refused(describeIssues(result.issues.slice(0, 1)), "Give items that the slice's schema accepts");
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

import type { Entry } from "./entries.ts";

/** An entry with the call that it works for. */
export type Placed = Entry & { readonly parent?: string | undefined };

/** Entries as they come, with what sub-agents said and did in the calls that they work for. */
export interface Nesting {
  add(entry: Placed): void;
  /** Makes the entries of a call anew, because more is known of it. */
  renew(call: string, make: (before: Placed) => Placed): void;
  /** All so far; of what has not changed since the last time, the same objects. */
  entries(): readonly Entry[];
}

interface Slot {
  entry: Placed;
  /** As it was shown last, with what is inside, by how deep it stands; empty where that has changed. */
  shown: Entry[];
  isTop: boolean;
}

/** Sub-agents that call sub-agents that call sub-agents; a record that goes in a circle ends too. */
const MOST_DEPTH = 8;

/** Puts entries into the calls that they work for. What works for a call that is not there stays in its place until that one comes. */
export function createNesting(): Nesting {
  let top: Slot[] = [];
  let hasMoved = false;
  const calls = new Map<string, Slot[]>();
  const inside = new Map<string, Slot[]>();
  const waiting = new Map<string, Slot[]>();

  /** What is shown of a call has changed, and so what is shown of those around it. */
  function forget(call: string): void {
    for (const slot of calls.get(call) ?? []) {
      if (slot.shown.length === 0) continue;
      slot.shown = [];
      if (slot.entry.parent !== undefined) forget(slot.entry.parent);
    }
  }

  /** What came before its call goes into it: everything below may stand deeper than it did. */
  function takeIn(call: string, own: Slot): void {
    const early = waiting.get(call)?.filter((slot) => slot !== own) ?? [];
    waiting.delete(call);
    if (early.length === 0) return;
    for (const slot of early) slot.isTop = false;
    hasMoved = true;
    push(inside, call, ...early);
    for (const slots of calls.values()) for (const slot of slots) slot.shown = [];
  }

  function shownOf(slot: Slot, depth: number): Entry {
    return (slot.shown[depth] ??= withInside(slot.entry, depth));
  }

  function withInside(entry: Placed, depth: number): Entry {
    const own = entry.kind === "tool" ? inside.get(entry.id) : undefined;
    if (entry.kind !== "tool" || own === undefined || depth > MOST_DEPTH) return entry;
    return { ...entry, inside: own.map((each) => shownOf(each, depth + 1)) };
  }

  return {
    add(entry) {
      const { parent } = entry;
      const id = idOf(entry);
      const slot: Slot = { entry, shown: [], isTop: true };
      if (id !== undefined) push(calls, id, slot);
      if (parent !== undefined && parent !== id && calls.has(parent)) {
        slot.isTop = false;
        push(inside, parent, slot);
        forget(parent);
      } else {
        top.push(slot);
        if (parent !== undefined && parent !== id) push(waiting, parent, slot);
      }
      if (id !== undefined) takeIn(id, slot);
    },
    renew(call, make) {
      for (const slot of calls.get(call) ?? []) slot.entry = make(slot.entry);
      forget(call);
    },
    entries() {
      if (hasMoved) top = top.filter(({ isTop }) => isTop);
      hasMoved = false;
      return top.map((slot) => shownOf(slot, 0));
    },
  };
}

/** The same of entries that are all there. */
export function nest(entries: readonly Placed[]): readonly Entry[] {
  const nesting = createNesting();
  for (const entry of entries) nesting.add(entry);
  return nesting.entries();
}

function idOf(entry: Placed): string | undefined {
  return entry.kind === "tool" ? entry.id : undefined;
}

function push(map: Map<string, Slot[]>, key: string, ...slots: readonly Slot[]): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [...slots]);
  else for (const slot of slots) known.push(slot);
}

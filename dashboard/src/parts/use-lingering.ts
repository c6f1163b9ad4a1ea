import { useEffect, useState } from "react";

/** What is there, or was a moment ago. */
export interface Lingering<Item> {
  readonly item: Item;
  readonly isThere: boolean;
}

/** What is there in the order in which it came, and for a moment, in its place, what was: nothing moves under a pointer that is about to press. */
export function useLingering<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  { lingersMs, isHeld }: { readonly lingersMs: number; readonly isHeld: boolean },
): readonly Lingering<Item>[] {
  const ids = items.map(idOf).join(" ");
  const [{ kept, seen }, setKept] = useState({ kept: items, seen: ids });
  const shown = merged(kept, items, idOf);
  if (seen !== ids) setKept({ kept: shown.map(({ item }) => item), seen: ids });
  useEffect(() => {
    if (isHeld) return undefined;
    const there = new Set(ids.split(" "));
    const forget = (): void =>
      setKept(({ kept: before, seen: last }) => ({ kept: before.filter((item) => there.has(idOf(item))), seen: last }));
    const timer = window.setTimeout(forget, lingersMs);
    return () => window.clearTimeout(timer);
  }, [ids, idOf, isHeld, lingersMs]);
  return shown;
}

function merged<Item>(
  kept: readonly Item[],
  items: readonly Item[],
  idOf: (item: Item) => string,
): readonly Lingering<Item>[] {
  const there = new Map(items.map((item) => [idOf(item), item]));
  const before = new Set(kept.map(idOf));
  return [
    ...kept.map((item) => ({ item: there.get(idOf(item)) ?? item, isThere: there.has(idOf(item)) })),
    ...items.filter((item) => !before.has(idOf(item))).map((item) => ({ item, isThere: true })),
  ];
}

/** What a session remembers of one kind. */
export interface Slice<Item> {
  /** The item that was added last. */
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

/** Makes the handle of a slice from the way to read and the way to change its items. */
export function createSlice<Item>({
  items,
  change,
}: {
  readonly items: () => readonly Item[];
  readonly change: (next: (items: readonly Item[]) => readonly Item[]) => void;
}): Slice<Item> {
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

/** Makes the new items of a slice from the old ones and an event; it changes nothing itself. */
export type Reducer<Item, Event> = (items: readonly Item[], event: Event) => readonly Item[];

/** Adds an item for each event: the event itself, or what `select` makes of it; nothing for undefined. */
export function append<Event>(): Reducer<Event, Event>;
export function append<Event, Item>(select: (event: Event) => Item | undefined): Reducer<Item, Event>;
export function append(select: Select = same): Reducer<unknown, unknown> {
  return (items, event) => withItem(select(event), items, (item) => [...items, item]);
}

/** Keeps one item, that of the latest event. */
export function replaceLatest<Event>(): Reducer<Event, Event>;
export function replaceLatest<Event, Item>(select: (event: Event) => Item | undefined): Reducer<Item, Event>;
export function replaceLatest(select: Select = same): Reducer<unknown, unknown> {
  return (items, event) => withItem(select(event), items, (item) => [item]);
}

/** Keeps one item for each key: an item with a known key takes the old one's place, another is added. */
export function upsertBy<Event>(key: (item: Event) => unknown): Reducer<Event, Event>;
export function upsertBy<Event, Item>(
  key: (item: Item) => unknown,
  select: (event: Event) => Item | undefined,
): Reducer<Item, Event>;
export function upsertBy(key: Select, select: Select = same): Reducer<unknown, unknown> {
  return (items, event) =>
    withItem(select(event), items, (item) => {
      const place = items.findIndex((each) => key(each) === key(item));
      return place === -1 ? [...items, item] : items.with(place, item);
    });
}

type Select = (value: unknown) => unknown;

const same: Select = (event) => event;

function withItem(
  item: unknown,
  items: readonly unknown[],
  make: (item: unknown) => readonly unknown[],
): readonly unknown[] {
  return item === undefined ? items : make(item);
}

import type { StateIndex, StatePlace, StateQuery } from "./state-index.ts";

/** An index with what is asked of it. */
export interface PlacedStore {
  readonly index: StateIndex;
  readonly query: StateQuery;
  /** How many fit at all, where that was counted. */
  readonly count: number | undefined;
  /** How many fit after the place at which the list begins; undefined where none are passed over. */
  readonly left: number | undefined;
}

/** So many are read and dropped rather than looked for. */
const READ_ALONG = 200;

/** The part of a store's states in which the end of what is passed over lies. */
interface Window {
  after: StatePlace | undefined;
  through: StatePlace | undefined;
  count: number;
}

/**
 * Passes over the first states of several sorted lists as if they were one, without reading them: the middle of the longest list divides each of the others,
 * by counts of their indices, until little is left. Gives where each list then begins, and how many are still to be passed over, from all of them together.
 */
export async function skipPlaces(
  stores: readonly PlacedStore[],
  offset: number,
): Promise<{ readonly starts: readonly (StatePlace | undefined)[]; readonly left: number }> {
  const windows = stores.map(({ query, left = 0 }): Window => ({
    after: query.after,
    through: undefined,
    count: left,
  }));
  let left = Math.min(
    offset,
    windows.reduce((sum, { count }) => sum + count, 0),
  );
  while (left > READ_ALONG) {
    const longest = windows.reduce((best, window, at) => (window.count > (windows[best]?.count ?? 0) ? at : best), 0);
    const pivot = await middleOf(stores[longest], windows[longest]);
    if (!pivot) break;
    const before = [];
    for (const [at, store] of stores.entries()) before.push(await countThrough(store, windows[at], pivot));
    const all = before.reduce((sum, count) => sum + count, 0);
    const isPassed = all <= left;
    for (const [at, window] of windows.entries()) {
      const count = before[at] ?? 0;
      if (isPassed) Object.assign(window, { after: pivot, count: window.count - count });
      else Object.assign(window, { through: pivot, count });
    }
    if (isPassed) left -= all;
    else if (windows.every(({ count }) => count <= 1)) break;
  }
  return { starts: windows.map(({ after }) => after), left };
}

async function middleOf(store: PlacedStore | undefined, window: Window | undefined): Promise<StatePlace | undefined> {
  if (!store || !window || window.count === 0) return undefined;
  const { after, through, count } = window;
  const offset = Math.floor((count - 1) / 2);
  return (await store.index.places({ ...store.query, after, through, limit: 1, offset }))[0];
}

async function countThrough(
  { index, query }: PlacedStore,
  window: Window | undefined,
  through: StatePlace,
): Promise<number> {
  return window?.count ? await index.count({ ...query, after: window.after, through }) : 0;
}

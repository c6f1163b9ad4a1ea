import type { FoundStore } from "../../workspace/internal.ts";
import type { OpenStores, SkippedStore } from "./open-stores.ts";
import { skipPlaces, type PlacedStore } from "./skip-places.ts";
import type {
  ConversationSummary,
  IndexedState,
  SearchSummary,
  StateIndex,
  StatePlace,
  StateQuery,
} from "./state-index.ts";
import { compareIn } from "./state-order.ts";

/** A state with the workspace that has it. */
export interface PlacedState {
  readonly store: FoundStore;
  readonly place: StatePlace;
  readonly state: IndexedState;
}

/** What is asked of a `StateReader`. */
export interface StatesRequest extends Omit<StateQuery, "without" | "through"> {
  /** Only of these workspaces. */
  among?(store: FoundStore): boolean;
  readonly limit: number;
  /** Whether all that fit are counted, wherever the page begins. */
  readonly isCounted?: boolean | undefined;
}

/** One page of the states of all workspaces. */
export interface StatesPage {
  readonly states: readonly PlacedState[];
  /** How many fit, on the page or not; undefined where nobody asked. */
  readonly count: number | undefined;
  readonly hasMore: boolean;
  readonly skipped: readonly SkippedStore[];
}

/** The states of all workspaces as one list. A state that several have is in the first of them alone. */
export interface StateReader {
  read(request: StatesRequest): Promise<StatesPage>;
  /** The conversations of all of them, the one changed last first: so many as one page at this offset needs. */
  conversations(request: SummariesRequest): Promise<Summaries<ConversationSummary>>;
  /** The searches of all of them, in the same way. */
  searches(request: SummariesRequest): Promise<Summaries<SearchSummary>>;
}

interface SummariesRequest {
  among?(store: FoundStore): boolean;
  readonly limit: number;
  readonly offset: number;
}

interface Summaries<Summary> {
  readonly found: readonly { readonly store: FoundStore; readonly summary: Summary }[];
  readonly skipped: readonly SkippedStore[];
}

export function createStateReader(stores: OpenStores): StateReader {
  return {
    async read({ among, limit, offset = 0, isCounted = false, ...query }) {
      const needsCount = isCounted || offset > 0;
      return await stores.ask(
        {
          ...(among && { among }),
          async ask({ store, index, without }): Promise<PlacedStore & { readonly store: FoundStore }> {
            const own = without.length === 0 ? query : { ...query, without };
            const { after: _, ...all } = own;
            const count = isCounted ? await index.count(all) : undefined;
            const left = needsCount && query.after === undefined ? count : undefined;
            return { store, index, query: own, count, left: left ?? (offset > 0 ? await index.count(own) : undefined) };
          },
        },
        async (asked, skipped) => {
          const { places, hasMore } = await readPlaces(asked, { limit, offset });
          return {
            states: await readStates(places),
            count: isCounted ? asked.reduce((sum, { count = 0 }) => sum + count, 0) : undefined,
            hasMore,
            skipped,
          };
        },
      );
    },
    conversations: (request) => readSummaries(stores, request, (index, page) => index.conversations(page)),
    searches: (request) => readSummaries(stores, request, (index, page) => index.searches(page)),
  };
}

async function readSummaries<Summary extends { readonly id: string; readonly updatedAtMs: number }>(
  stores: OpenStores,
  { among, limit, offset }: SummariesRequest,
  list: (index: StateIndex, page: { readonly limit: number }) => Promise<readonly Summary[]>,
): Promise<Summaries<Summary>> {
  return await stores.ask(
    {
      ...(among && { among }),
      async ask({ store, index }) {
        const found = await list(index, { limit: limit + offset });
        return found.map((summary) => ({ store, summary }));
      },
    },
    (found, skipped) => {
      const all = found.flat().toSorted((left, right) => right.summary.updatedAtMs - left.summary.updatedAtMs);
      return Promise.resolve({ found: withoutCopies(all).slice(offset, offset + limit), skipped });
    },
  );
}

type OfStore<Store> = Store & { readonly store: FoundStore };

interface StorePlace {
  readonly from: OfStore<PlacedStore>;
  readonly place: StatePlace;
}

async function readPlaces(
  asked: readonly OfStore<PlacedStore>[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly places: readonly StorePlace[]; readonly hasMore: boolean }> {
  const { left, starts } = await skipPlaces(asked, offset);
  const found: StorePlace[] = [];
  for (const [at, from] of asked.entries()) {
    const after = starts[at] ?? from.query.after;
    const places = await from.index.places({ ...from.query, after, limit: left + limit + 1 });
    found.push(...places.map((place) => ({ from, place })));
  }
  const query = asked[0]?.query ?? {};
  const sorted = found.toSorted((one, other) => compareIn(query, one.place, other.place));
  return { places: sorted.slice(left, left + limit), hasMore: sorted.length > left + limit };
}

/** All of them that one store has are read at once. */
async function readStates(places: readonly StorePlace[]): Promise<readonly PlacedState[]> {
  const states = new Map<string, IndexedState>();
  for (const from of new Set(places.map((each) => each.from))) {
    const ids = places.filter((each) => each.from === from).map(({ place }) => place.id);
    for (const state of await from.index.list({ ids })) states.set(state.id, state);
  }
  return places.flatMap(({ from, place }) => {
    const state = states.get(place.id);
    return state ? [{ store: from.store, place, state }] : [];
  });
}

/** One that was pulled into another workspace is told of where it went on last. */
function withoutCopies<Item extends { readonly summary: { readonly id: string } }>(found: readonly Item[]) {
  const seen = new Set<string>();
  return found.filter(({ summary: { id } }) => !seen.has(id) && seen.add(id));
}

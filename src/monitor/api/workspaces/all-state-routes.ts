import { basename } from "node:path";
import { z } from "zod";
import { isoTime, SkeinError } from "../../../core/internal.ts";
import { asData } from "../../../protocol/index.ts";
import type { PlacedState, SearchSummary, StatePlace } from "../../../trace/internal.ts";
import { openStates, type FoundStore } from "../../../workspace/internal.ts";
import { SkippedData } from "../../metrics/metrics-data.ts";
import { notFound } from "../not-found.ts";
import { pageFields, pageOf, pageQuery, route, type ApiContext } from "../route.ts";
import { readNames, STATE_KINDS, StateData, toStateData, type StateNames } from "./state-data.ts";
import { stateFilters, stateOrder, toStateQuery } from "./state-query.ts";
import { ConversationData, toConversationData } from "./workspace-routes.ts";

const ofWorkspace = {
  workspace_id: z.string().describe("The workspace's id"),
  workspace: z.string().describe("The workspace's path"),
};

const workspacesQuery = {
  workspaces: z
    .string()
    .max(10_000)
    .optional()
    .describe("Only these workspaces: their ids, with commas between (default: all)"),
};

export const listAllStates = route({
  path: "/api/states",
  operation: "listAllStates",
  summary: "The turns of all workspaces as one list: from any place of it, filtered and sorted",
  query: z.strictObject({
    ...pageQuery,
    after: z.string().max(1000).optional().describe("Only what comes after this place: `next_after` of a page before"),
    count: z
      .stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] })
      .default(false)
      .describe("Tell how many there are at all"),
    kind: z
      .enum([...STATE_KINDS, "any"])
      .default("turn")
      .describe("Only states of this kind"),
    ...stateOrder,
    ...stateFilters,
    ...workspacesQuery,
  }),
  data: z.strictObject({
    states: z.array(z.strictObject({ ...ofWorkspace, ...StateData.shape })).describe("The states"),
    next_after: z
      .string()
      .nullable()
      .describe(
        "The place after which the next page begins, whatever is recorded meanwhile; null where this is the last",
      ),
    ...pageFields,
    count: z.int().nullable().describe("How many there are at all, on the page or not; null where nobody asked"),
    skipped: SkippedData,
  }),
  async answer({ limit, offset, after, count, kind, workspaces, ...given }, context) {
    const query = toStateQuery({ ...given, kind: kind === "any" ? undefined : kind });
    const page = await context.states.read({
      ...query,
      ...(await amongThese(workspaces, context)),
      after: after === undefined ? undefined : readPlace(after, given.order),
      limit,
      offset,
      isCounted: count,
    });
    const names = await namesOf(page.states);
    const last = page.hasMore ? page.states.at(-1) : undefined;
    return {
      states: page.states.map(({ store, state }) => ({
        workspace_id: basename(store.home),
        workspace: store.workspace,
        ...toStateData(state, names.get(store.home) ?? NO_NAMES),
      })),
      next_after: last ? writePlace(last.place, given.order) : null,
      next_offset: page.hasMore ? offset + limit : null,
      count: page.count ?? null,
      skipped: page.skipped.map((store) => ({ ...store })),
    };
  },
});

export const listAllConversations = route({
  path: "/api/conversations",
  operation: "listAllConversations",
  summary: "The conversations of all workspaces, the one changed last first",
  query: z.strictObject({ ...pageQuery, ...workspacesQuery }),
  data: z.strictObject({
    conversations: z.array(z.strictObject({ ...ofWorkspace, ...ConversationData.shape })).describe("The conversations"),
    ...pageFields,
    skipped: SkippedData,
  }),
  async answer({ limit, offset, workspaces }, context) {
    const among = await amongThese(workspaces, context);
    const found = await context.states.conversations({ ...among, limit: limit + 1, offset });
    const { items, next_offset } = pageOf(found.found, { limit, offset });
    return {
      conversations: items.map(({ store, summary }) => ({
        workspace_id: basename(store.home),
        workspace: store.workspace,
        ...toConversationData(summary),
      })),
      next_offset,
      skipped: found.skipped.map((store) => ({ ...store })),
    };
  },
});

const SearchData = z.strictObject({
  id: z.string().describe("Its run: what its turns have as `search_id`"),
  first_prompt: z.string().describe("The prompt of the first of its turns"),
  turns: z.int().describe("How many turns of it are recorded"),
  failed: z.int().describe("How many of them failed or were cut off"),
  cost_usd: z.number().describe("What was paid; turns of the offline model are not in it"),
  offline_cost_usd: z.number().describe("What the turns of the offline model would have cost by the price list"),
  created_at: z.string().describe("When the first of them was recorded, ISO 8601"),
  updated_at: z.string().describe("When the last of them was recorded, ISO 8601"),
  best: z
    .strictObject({
      reward: z.number().describe("The reward"),
      state_id: z.string().describe("The first state that has it"),
    })
    .nullable()
    .describe("The highest reward of its turns, whatever its name; null where none has one"),
});

export const listRecordedSearches = route({
  path: "/api/states/searches",
  operation: "listRecordedSearches",
  summary: "The searches of which turns are recorded in any workspace, the one that recorded a turn last first",
  query: z.strictObject({ ...pageQuery, ...workspacesQuery }),
  data: z.strictObject({
    searches: z.array(z.strictObject({ ...ofWorkspace, ...SearchData.shape })).describe("The searches"),
    ...pageFields,
    skipped: SkippedData,
  }),
  async answer({ limit, offset, workspaces }, context) {
    const among = await amongThese(workspaces, context);
    const { found, skipped } = await context.states.searches({ ...among, limit: limit + 1, offset });
    const { items, next_offset } = pageOf(found, { limit, offset });
    return {
      searches: items.map(({ store, summary }) => ({
        workspace_id: basename(store.home),
        workspace: store.workspace,
        ...toSearchData(summary),
      })),
      next_offset,
      skipped: skipped.map((store) => ({ ...store })),
    };
  },
});

function toSearchData({ createdAtMs, updatedAtMs, ...search }: SearchSummary): z.infer<typeof SearchData> {
  return asData(SearchData, { ...search, createdAt: isoTime(createdAtMs), updatedAt: isoTime(updatedAtMs) });
}

const NO_NAMES: StateNames = { head: undefined, checkpoints: new Map() };

async function amongThese(
  ids: string | undefined,
  { workspaces }: ApiContext,
): Promise<{ among?(store: FoundStore): boolean }> {
  if (ids === undefined) return {};
  const wanted = new Set(ids.split(","));
  const known = new Set((await workspaces.list()).map(({ id }) => id));
  for (const id of wanted) if (!known.has(id)) throw notFound("workspace", id);
  return { among: ({ home }) => wanted.has(basename(home)) };
}

/** Each store's once: a page is mostly of a few. */
async function namesOf(states: readonly PlacedState[]): Promise<ReadonlyMap<string, StateNames>> {
  const stores = new Map(states.map(({ store }) => [store.home, store]));
  const names = [...stores.values()].map(async (store) => {
    await using opened = openStates(store);
    return [store.home, await readNames({ states: opened })] as const;
  });
  return new Map(await Promise.all(names));
}

/** Text that means nothing to whoever gets it: the order, and what its places are made of. Minus infinity, of what has no reward, is no JSON. */
function writePlace({ value, recordedAtMs, depth, id }: StatePlace, order: string): string {
  const parts = [order, Number.isFinite(value) ? value : null, recordedAtMs, depth, id];
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

const Place = z.tuple([z.string(), z.number().nullable(), z.int(), z.int(), z.string().max(100)]);

function readPlace(text: string, order: string): StatePlace {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    parts = undefined;
  }
  const { data } = Place.safeParse(parts);
  if (!data || data[0] !== order) {
    throw new SkeinError("after: it is no place in a list of this order", {
      kind: "usage",
      target: "after",
      hint: "Give `next_after` of a page that was asked for in the same order",
    });
  }
  const [, value, recordedAtMs, depth, id] = data;
  return { value: value ?? -Infinity, recordedAtMs, depth, id };
}

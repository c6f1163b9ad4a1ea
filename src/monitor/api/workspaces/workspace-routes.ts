import { z } from "zod";
import { isoTime } from "../../../core/internal.ts";
import { asData } from "../../../protocol/index.ts";
import type { ConversationSummary } from "../../../trace/internal.ts";
import { pageFields, pageOf, pageQuery, route } from "../route.ts";
import { OUTCOMES, readNames, STATE_KINDS, StateData, toStateData } from "./state-data.ts";
import { stateFilters, stateOrder, toStateQuery } from "./state-query.ts";

export const workspaceParameter = {
  workspace: z.string().describe("The workspace's id, as the list of them has it"),
};

export const listWorkspaces = route({
  path: "/api/workspaces",
  operation: "listWorkspaces",
  summary: "The workspaces of which something is recorded",
  data: z.strictObject({
    workspaces: z
      .array(
        z.strictObject({
          id: z.string().describe("The workspace's id: the name of its folder in the data folder"),
          path: z.string().describe("Its path"),
        }),
      )
      .describe("The workspaces, by id"),
  }),
  async answer(_, { workspaces }) {
    return { workspaces: (await workspaces.list()).map(({ id, store }) => ({ id, path: store.workspace })) };
  },
});

export const getWorkspace = route({
  path: "/api/workspaces/{workspace}",
  operation: "getWorkspace",
  summary: "A workspace: where it stands, and what was done in it in all",
  parameters: z.strictObject(workspaceParameter),
  data: z.strictObject({
    id: z.string().describe("The workspace's id"),
    path: z.string().describe("Its path"),
    head: z.string().nullable().describe("The state that the directory is at; null where none is"),
    states: z.int().describe("How many states are recorded"),
    turns: z.int().describe("How many turns led to them"),
    cost_usd: z.number().describe("What was paid for them; turns of the offline model are not in it"),
    offline_cost_usd: z.number().describe("What the turns of the offline model would have cost by the price list"),
    duration_ms: z.number().describe("How long the turns took together, in milliseconds"),
  }),
  async answer({ workspace: id }, { workspaces }) {
    return await workspaces.use(id, async ({ workspace, index }) => {
      const { states, turns, costUsd, offlineCostUsd, durationMs } = await index.totals();
      const head = (await workspace.states.head())?.stateId ?? null;
      const sums = { states, turns, cost_usd: costUsd, offline_cost_usd: offlineCostUsd, duration_ms: durationMs };
      return { id, path: workspace.path, head, ...sums };
    });
  },
});

export const ConversationData = z.strictObject({
  id: z.string().describe("The conversation's id"),
  first_prompt: z.string().describe("The prompt of its first turn; empty where it has none yet"),
  turns: z.int().describe("How many turns it has"),
  cost_usd: z.number().describe("What was paid; turns of the offline model are not in it"),
  offline_cost_usd: z.number().describe("What the turns of the offline model would have cost by the price list"),
  created_at: z.string().describe("When its first state was recorded, ISO 8601"),
  updated_at: z.string().describe("When its last state was recorded, ISO 8601"),
  last_outcome: z.enum(OUTCOMES).nullable().describe("How its latest turn ended; null where it has none"),
});

export const listConversations = route({
  path: "/api/workspaces/{workspace}/conversations",
  operation: "listConversations",
  summary: "The conversations of a workspace, the one changed last first",
  parameters: z.strictObject(workspaceParameter),
  query: z.strictObject(pageQuery),
  data: z.strictObject({
    conversations: z.array(ConversationData).describe("The conversations"),
    ...pageFields,
  }),
  async answer({ workspace: id, limit, offset }, { workspaces }) {
    const found = await workspaces.use(id, ({ index }) => index.conversations({ limit: limit + 1, offset }));
    const { items, next_offset } = pageOf(found, { limit, offset });
    return { conversations: items.map(toConversationData), next_offset };
  },
});

export function toConversationData({ createdAtMs, updatedAtMs, ...conversation }: ConversationSummary) {
  return asData(ConversationData, {
    ...conversation,
    createdAt: isoTime(createdAtMs),
    updatedAt: isoTime(updatedAtMs),
  });
}

const stateQuery = z.strictObject({
  ...pageQuery,
  ...stateOrder,
  ...stateFilters,
  parent: z.string().optional().describe("Only states that come directly after this one"),
  kind: z.enum(STATE_KINDS).optional().describe("Only states of this kind"),
});

export const listStates = route({
  path: "/api/workspaces/{workspace}/states",
  operation: "listStates",
  summary: "The states of a workspace with the turns that led to them: by page, filtered and sorted",
  parameters: z.strictObject(workspaceParameter),
  query: stateQuery,
  data: z.strictObject({ states: z.array(StateData).describe("The states"), ...pageFields }),
  async answer({ workspace: id, limit, offset, ...given }, { workspaces }) {
    return await workspaces.use(id, async ({ workspace, index }) => {
      const found = await index.query({ ...toStateQuery(given), limit: limit + 1, offset });
      const names = await readNames(workspace);
      const { items, next_offset } = pageOf(found, { limit, offset });
      return { states: items.map((state) => toStateData(state, names)), next_offset };
    });
  },
});

const MOST_NODES = 20_000;

export const getTree = route({
  path: "/api/workspaces/{workspace}/tree",
  operation: "getTree",
  summary: "The tree of all states of a workspace, the oldest first: enough of each to draw it",
  parameters: z.strictObject(workspaceParameter),
  data: z.strictObject({
    nodes: z
      .array(
        z.strictObject({
          state_id: z.string().describe("The state's id"),
          parent_id: z.string().nullable().describe("The state before it; null for the first"),
          kind: z.enum(STATE_KINDS).describe("What led to it"),
          conversation_id: z.string().describe("The conversation that it belongs to"),
          recorded_at: z.string().describe("When it was recorded, ISO 8601"),
          rewards: z.record(z.string(), z.number()).describe("The rewards that it was given, by name"),
          prompt: z.string().nullable().describe("The beginning of the turn's prompt; null where no turn led to it"),
          outcome: z.enum(OUTCOMES).nullable().describe("How the turn ended; null where none led to it"),
          cost_usd: z.number().nullable().describe("What the turn cost; null where none led to it"),
          offline: z.boolean().nullable().describe("Whether the offline model answered; null where no turn led to it"),
          duration_ms: z.number().nullable().describe("How long the turn took; null where none led to it"),
          files_changed: z
            .int()
            .nullable()
            .describe("How many files the turn created, changed or deleted; null where none led to it"),
          search_id: z
            .string()
            .nullable()
            .describe("The run of the search that the turn is part of; null where it is of none"),
          bookmark: z.string().nullable().describe("The name of its bookmark; null where it has none"),
        }),
      )
      .describe("The states"),
    head: z.string().nullable().describe("The state that the directory is at; null where none is"),
    checkpoints: z.record(z.string(), z.string()).describe("The states that have names, by name"),
    is_cut: z.boolean().describe("Whether there are more, older ones that are left out"),
  }),
  async answer({ workspace: id }, { workspaces }) {
    return await workspaces.use(id, async ({ workspace, index }) => {
      const found = await index.query({ order: "newest", limit: MOST_NODES + 1 });
      const nodes = found.slice(0, MOST_NODES).toReversed();
      return {
        nodes: nodes.map(({ id: stateId, parentId, kind, conversationId, recordedAtMs, rewards, bookmark, turn }) => ({
          state_id: stateId,
          parent_id: parentId ?? null,
          kind,
          conversation_id: conversationId,
          recorded_at: isoTime(recordedAtMs),
          rewards: { ...rewards },
          prompt: turn ? turn.prompt.slice(0, 200) : null,
          outcome: turn?.outcome ?? null,
          cost_usd: turn?.costUsd ?? null,
          offline: turn ? turn.scenario !== undefined : null,
          duration_ms: turn?.durationMs ?? null,
          files_changed: turn ? turn.filesCreated + turn.filesModified + turn.filesDeleted : null,
          search_id: turn?.searchId ?? null,
          bookmark: bookmark ?? null,
        })),
        head: (await workspace.states.head())?.stateId ?? null,
        checkpoints: Object.fromEntries(await workspace.states.checkpoints()),
        is_cut: found.length > MOST_NODES,
      };
    });
  },
});

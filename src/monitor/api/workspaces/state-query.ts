import { z } from "zod";
import type { StateQuery } from "../../../trace/internal.ts";
import { OUTCOMES, type STATE_KINDS } from "./state-data.ts";

const number = z.coerce.number();
const moment = z.iso.datetime({ offset: true });

/** The order of a list of states. */
export const stateOrder = {
  order: z
    .enum(["newest", "oldest", "cost", "duration", "reward"])
    .default("newest")
    .describe("The order; `cost`, `duration` and `reward` begin with the highest"),
};

/** Which states a list has. */
export const stateFilters = {
  conversation: z.string().optional().describe("Only states of this conversation"),
  search: z.string().optional().describe("Only turns of this search: its run"),
  since: moment.optional().describe("Recorded at this moment or later, ISO 8601"),
  until: moment.optional().describe("Recorded before this moment, ISO 8601"),
  min_cost_usd: number.min(0).optional().describe("The turn cost at least this"),
  max_cost_usd: number.min(0).optional().describe("The turn cost at most this"),
  tool: z.string().optional().describe("The turn called this tool"),
  model: z.string().optional().describe("The turn was answered by this model, as the API names it"),
  text: z.string().max(1000).optional().describe("Words that occur in the prompt or the response"),
  outcome: z.enum(OUTCOMES).optional().describe("Turns that ended so"),
  reward: z.string().optional().describe("States with a reward of this name"),
  min_reward: number.optional().describe("The reward is at least this: the named one, else the best"),
  max_reward: number.optional().describe("The reward is at most this"),
  bookmark: z.string().optional().describe("States with a bookmark of this name; with any where it is empty"),
};

const Filters = z.object({ ...stateOrder, ...stateFilters });

type Given = z.infer<typeof Filters> & {
  readonly parent?: string | undefined;
  readonly kind?: (typeof STATE_KINDS)[number] | undefined;
};

/** What the index is asked for it. */
export function toStateQuery({
  order,
  kind,
  parent,
  conversation,
  search,
  since,
  until,
  min_cost_usd,
  max_cost_usd,
  tool,
  model,
  text,
  outcome,
  bookmark,
  ...reward
}: Given): StateQuery {
  return {
    order,
    kind,
    tool,
    model,
    text,
    outcome,
    bookmark,
    parentId: parent,
    conversationId: conversation,
    searchId: search,
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
    minCostUsd: min_cost_usd,
    maxCostUsd: max_cost_usd,
    reward: toReward(reward),
  };
}

function toReward({
  reward: name,
  min_reward: min,
  max_reward: max,
}: Pick<Given, "reward" | "min_reward" | "max_reward">): StateQuery["reward"] {
  if (name === undefined && min === undefined && max === undefined) return undefined;
  return { ...(name !== undefined && { name }), ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

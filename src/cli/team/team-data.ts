import { z } from "zod";
import { asData } from "../../protocol/index.ts";
import type { TeamResult } from "../../team/internal.ts";

const ItemData = z.strictObject({
  id: z.string().describe("The item's id in the plan"),
  title: z.string().describe("What was to be done"),
  status: z
    .enum(["waiting", "working", "reviewing", "integrating", "merged", "skipped", "replaced", "escalated", "blocked"])
    .describe(
      "How far it is: `merged` is in the directory; `escalated` waits for a person who did not answer; `blocked` waits for one that is not done",
    ),
  reason: z.string().nullable().describe("Why it ended so; null where it has not"),
  attempts: z.int().describe("How often it was begun"),
  rounds: z.int().describe("Turns of workers"),
  cost_usd: z.number().describe("What its workers cost, in US dollars; of offline turns what the price list says"),
  state_id: z
    .string()
    .nullable()
    .describe("The state with the last work on it, in a worker's conversation; null where there is none"),
  merged_state_id: z
    .string()
    .nullable()
    .describe("The directory's state with its work in it; null where it is not merged"),
});

export type ItemData = z.infer<typeof ItemData>;

const names = z.array(z.string());

export const TeamData = z.strictObject({
  team: z.string().describe("The team's id, for `--resume`"),
  outcome: z
    .enum(["completed", "partial", "budget", "deadline", "iterations", "cancelled", "stopped", "failed"])
    .describe("Why it ended: everything is done, some items are not, something ran out, or somebody ended it"),
  items: z.array(ItemData).describe("The items of the plan, in its order"),
  merged: names.describe("The ids of the items whose work is in the directory, in the order in which it came"),
  left: names.describe("The ids of the items that are not done"),
  iterations: z.int().describe("Turns of workers"),
  cost_usd: z.number().describe("What everything cost, in US dollars; of offline turns what the price list says"),
  manager_cost_usd: z.number().describe("The manager's part of it"),
  worker_cost_usd: z.number().describe("The workers' part of it"),
  offline: z.boolean().describe("Whether the offline model answered, so that nobody paid"),
  duration_ms: z.number().describe("How long it took this time, in milliseconds"),
});

export type TeamData = z.infer<typeof TeamData>;

export function toTeamData(result: TeamResult): TeamData {
  return asData(TeamData, result);
}

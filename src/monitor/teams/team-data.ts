import { basename } from "node:path";
import { z } from "zod";
import { asData } from "../../protocol/index.ts";
import { efficiencyOf } from "./efficiency.ts";
import type { ReadTeam } from "./read-team.ts";
import { ITEM_STATUSES } from "./team-line.ts";
import type { StoryItem, StoryReview } from "./team-story.ts";

const text = z.string();
const texts = z.array(text);
const share = z.number().nullable();

/** A team in a list of them. */
export const TeamSummaryData = z.strictObject({
  team: text.describe("The team's id: it stays the same when the team is resumed"),
  goal: text.describe("What it is to bring about"),
  workspace_id: text.describe("The workspace's id"),
  workspace: text.describe("The workspace's path"),
  run: text.nullable().describe("The run of its last process: its events are live; null where its journal is gone"),
  state: z
    .enum(["running", "ended", "interrupted"])
    .describe("Whether it goes on, came to an end, or was cut off because its process was killed"),
  outcome: text.nullable().describe("How it ended; null where it goes on or was cut off"),
  phase: text.nullable().describe("What it does now, or did last: `plan`, `work`, `review`, `integrate`"),
  started_at: text.describe("When it began, ISO 8601"),
  updated_at: text.describe("When something last happened in it, ISO 8601"),
  items: z.int().describe("Items of the plan"),
  merged: z.int().describe("Items whose work is in the directory"),
  rounds: z.int().describe("Workers' turns that are over"),
  cost_usd: z.number().describe("What it cost so far, in US dollars; of offline turns what the price list says"),
  offline: z.boolean().describe("Whether the offline model answered all workers' turns, so that nobody paid"),
});

const ItemData = z.strictObject({
  id: text.describe("The item's id"),
  title: text.describe("What is to be done"),
  description: text.describe("All that whoever does it has to know"),
  acceptance_criteria: texts.describe("By what it is known to be done"),
  dependencies: texts.describe("The ids of the items that have to be done before"),
  priority: z.int().describe("1 is done first"),
  estimated_effort: text.describe("`small`, `medium` or `large`"),
  status: z.enum(ITEM_STATUSES).describe("How far it is, or how it ended"),
  reason: text.nullable().describe("Why it ended so; null where it has not"),
  attempts: z.int().describe("How often it was begun"),
  rounds: z.int().describe("Workers' turns at it that are over"),
  cost_usd: z.number().describe("What its workers cost, in US dollars; of offline turns what the price list says"),
  state_id: text.nullable().describe("The state with the last work on it; null where there is none"),
  merged_state_id: text.nullable().describe("The directory's state with its work; null where it is not merged"),
  way_back: text.nullable().describe("The state before it was merged; null where it is not"),
});

const RoundData = z.strictObject({
  item: text.describe("The item's id"),
  lane: z.int().describe("Which of those who work at once, from 1"),
  worker: z.int().describe("Which kind of worker, from 0"),
  attempt: z.int().describe("Which attempt at the item, from 1"),
  round: z.int().describe("Which round of the attempt, from 1"),
  started_at: text.describe("When it began, ISO 8601"),
  base_state_id: text.nullable().describe("The state that the work is measured against; null where it is not known"),
  finished_at: text.nullable().describe("When the worker's turn was over; null where it goes on"),
  state_id: text.nullable().describe("The state with the work; null where the turn goes on"),
  conversation_id: text.nullable().describe("The worker's conversation; null where the turn goes on"),
  cost_usd: z.number().describe("What the turn cost, in US dollars; of an offline turn what the price list says"),
  offline: z.boolean().describe("Whether the offline model answered"),
  evidence_at: text.nullable().describe("When the evidence was there; null where it is not"),
  changes: z
    .array(
      z.strictObject({
        type: text.describe("`created`, `modified`, `deleted` or `renamed`"),
        path: text.describe("The file's path below the workspace"),
        from: text.nullable().describe("Its path before, where it was renamed"),
      }),
    )
    .nullable()
    .describe("The files that are different; null where that is not known"),
  gates: z
    .array(
      z.strictObject({
        command: text.describe("The command"),
        passed: z.boolean().describe("Whether it ended with exit code 0"),
        ending: text.describe("How it ended"),
        output: text.describe("The end of what it printed"),
      }),
    )
    .describe("What the gates came to"),
  violations: texts.describe("Protected files that were changed"),
  tool_errors: z.int().describe("Tool calls that failed or were denied"),
  judged_at: text.nullable().describe("When something was said about it; null where nothing was yet"),
  by: z.enum(["evidence", "gates", "manager", "person"]).nullable().describe("Who said so; null where nobody did yet"),
  verdict: z
    .strictObject({
      approved: z.boolean().describe("Whether the item is done"),
      issues: texts.describe("What is wrong, each in a sentence"),
      required_changes: texts.describe("What has to be done before it can be approved"),
    })
    .nullable()
    .describe("What was said; null where nothing was yet"),
});

const ReviewData = z.strictObject({
  kind: z.enum(["plan", "review", "remedy"]).describe("A plan, a look at evidence, or what becomes of an item"),
  item: text.nullable().describe("The item's id; null of the plan"),
  started_at: text.describe("When it was asked and free, ISO 8601"),
  ended_at: text.nullable().describe("When it had answered; null where it has not"),
  state_id: text.nullable().describe("The state after its turn, in its conversation; null where it is not known"),
  work_state_id: text.nullable().describe("The worker's state that it looked at; null where it looked at none"),
  cost_usd: z.number().nullable().describe("What the turn cost, in US dollars; null where it is not known"),
});

const HandoffData = z.strictObject({
  at: text.describe("When, ISO 8601"),
  type: z
    .enum([
      "plan",
      "plan-refused",
      "assigned",
      "evidence",
      "verdict",
      "stuck",
      "remedy",
      "conflict",
      "merged",
      "ended",
      "escalated",
      "answered",
    ])
    .describe("What was handed over"),
  from: text.describe("Who gave it: `manager`, `worker-1`, `gates`, `evidence`, `person`, `directory`, `team`"),
  to: text.describe("Who got it"),
  item: text.nullable().describe("The item that it is about; null where it is about all"),
  state_id: text.nullable().describe("The state that goes with it; null where none does"),
  text: text.describe("What it says, in a line"),
});

/** A team with all that is known of it. */
export const TeamData = z.strictObject({
  ...TeamSummaryData.omit({ items: true, merged: true, rounds: true }).shape,
  runs: texts.describe("The runs of its processes, the first one first"),
  settings: z
    .strictObject({
      workers: z.int().describe("How many items are worked on at once"),
      gates: texts.describe("Commands that have to succeed before an item is accepted"),
      protect: texts.describe("Globs of files that no worker may change; the plan's are among them"),
      max_rounds: z.int().describe("How often an attempt is sent back before it has failed"),
      max_attempts: z.int().describe("How often an item is begun anew"),
      max_iterations: z.int().describe("Limit on the workers' turns in all"),
      approve_plan: z.boolean().describe("Whether a person approves the plan"),
    })
    .describe("What held as the team began"),
  items: z.array(ItemData).describe("The items, in the plan's order; those that took another's place after them"),
  rounds: z.array(RoundData).describe("What workers did, in the order in which it began"),
  reviews: z.array(ReviewData).describe("What the manager did, in the order in which it began"),
  handoffs: z.array(HandoffData).describe("What was handed over, in order"),
  manager_cost_usd: z.number().describe("The manager's part of the cost"),
  efficiency: z
    .strictObject({
      rounds: z.int().describe("Workers' turns that are over"),
      approved: z.int().describe("Items whose work was approved"),
      approved_per_round: share.describe("Approved items for each round; null where there was none"),
      sent_back_by_evidence: share.describe("The share of the rounds that the files alone sent back"),
      sent_back_by_gates: share.describe("The share of the rounds that gates sent back"),
      sent_back_by_manager: share.describe("The share of the rounds that the manager sent back"),
      manager_cost_share: share.describe("The manager's share of the cost; null where nothing was spent"),
    })
    .describe("How well it works together"),
});

export type TeamData = z.infer<typeof TeamData>;

export function toTeamSummary(team: ReadTeam): z.infer<typeof TeamSummaryData> {
  const { items, rounds } = team.story;
  return asData(TeamSummaryData, {
    ...headOf(team),
    items: items.length,
    merged: items.filter(({ status }) => status === "merged").length,
    rounds: rounds.filter(({ finishedAt }) => finishedAt !== undefined).length,
  });
}

export function toTeamData(team: ReadTeam): TeamData {
  const { settings, runs, story, managerCostUsd } = team;
  return asData(TeamData, {
    ...headOf(team),
    runs: runs.map(({ run }) => run),
    settings: { ...settings, protect: story.protect.length > 0 ? story.protect : settings.protect },
    items: story.items.map((item) => ({ ...item, ...sumsOf(item, team) })),
    rounds: story.rounds,
    reviews: story.reviews.map((review, place) => ({ ...review, ...turnOf(review, place, team) })),
    handoffs: story.handoffs,
    managerCostUsd,
    efficiency: efficiencyOf(team),
  });
}

function headOf({ id, settings, store, runs, state, outcome, story, startedAt, updatedAt, costUsd }: ReadTeam) {
  const done = story.rounds.filter(({ finishedAt }) => finishedAt !== undefined);
  return {
    team: id,
    goal: settings.goal,
    workspaceId: basename(store.home),
    workspace: store.workspace,
    run: runs.at(-1)?.run,
    state,
    outcome,
    phase: story.phase,
    startedAt,
    updatedAt,
    costUsd,
    offline: done.length > 0 && done.every(({ offline }) => offline),
  };
}

function sumsOf({ id }: StoryItem, { story }: ReadTeam) {
  const own = story.rounds.filter(({ item, finishedAt }) => item === id && finishedAt !== undefined);
  const costUsd = Math.round(own.reduce((sum, round) => sum + round.costUsd * 1e6, 0)) / 1e6;
  return { rounds: own.length, costUsd, stateId: own.at(-1)?.stateId };
}

/** The turn of a review, by the state that was looked at; plans and remedies come in the order of their steps. */
function turnOf({ kind, item, workStateId }: StoryReview, place: number, { story, managerTurns }: ReadTeam) {
  if (kind === "review") return pick(managerTurns.findLast((turn) => turn.workStateId === workStateId));
  const before = story.reviews.slice(0, place).filter((each) => each.kind === kind && each.item === item).length;
  const begins = kind === "plan" ? "plan/" : `${item ?? ""}/`;
  const own = managerTurns.filter(
    ({ step }) => step.startsWith(begins) && (kind === "plan" || step.includes("/remedy")),
  );
  return pick(own[before]);
}

function pick(turn: { readonly stateId: string; readonly costUsd: number } | undefined) {
  return { stateId: turn?.stateId, costUsd: turn?.costUsd };
}

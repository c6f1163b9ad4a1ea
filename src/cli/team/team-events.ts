import { z } from "zod";
import { toWire } from "../../protocol/index.ts";
import type { TeamEvent } from "../../team/internal.ts";

const text = z.string();
const texts = z.array(text);

const round = {
  item: text.describe("The item's id"),
  worker: z.int().describe("Which kind of worker, from 0"),
  attempt: z.int().describe("Which attempt at the item, from 1"),
  round: z.int().describe("Which round of the attempt, from 1"),
};

const stateId = text.describe("The state");

const gate = z.strictObject({
  command: text.describe("The command"),
  passed: z.boolean().describe("Whether it ended with exit code 0"),
  ending: text.describe("How it ended"),
  output: text.describe("The end of what it printed"),
});

const change = z.looseObject({
  type: text.describe("What became of the file: `created`, `modified`, `deleted` or `renamed`"),
  path: text.describe("Its path below the workspace"),
});

const item = z.looseObject({
  id: text.describe("The item's id"),
  title: text.describe("What is to be done"),
});

const verdict = z.looseObject({
  approved: z.boolean().describe("Whether the item is done"),
  issues: texts.describe("What is wrong, each in a sentence"),
});

const remedy = z.looseObject({
  action: text.describe("`retry`, `reassign`, `replan`, `done`, `skip` or `escalate`"),
  reason: text.describe("Why, in a sentence"),
});

const question = z.looseObject({
  id: text.describe("The question's id"),
  kind: text.describe("Whether it is about the `plan` or an `item`"),
  text: text.describe("What is asked"),
});

const answer = z.looseObject({
  choice: text.describe("`approve`, `retry`, `skip`, `stop`, or `unanswered` where nobody did in time"),
});

function event<Shape extends z.core.$ZodLooseShape>(type: string, meaning: string, shape: Shape) {
  return z.strictObject({ type: z.literal(type).describe("What happened"), ...shape }).describe(meaning);
}

/** The lines of `stream-json` while a team works. */
export const TEAM_EVENTS = [
  event("team-start", "The team begins, or goes on", {
    team: text.describe("The team's id"),
    goal: text.describe("What it is to bring about"),
    workers: z.int().describe("How many items are worked on at once"),
    is_resumed: z.boolean().describe("Whether it goes on after it was cut off"),
  }),
  event("phase-changed", "What the team does now", {
    phase: z.enum(["plan", "work", "review", "integrate"]).describe("The phase"),
  }),
  event("plan-made", "There is a plan that can be followed", {
    items: z.array(item).describe("The items, whole"),
    protect: texts.describe("Globs of files that no worker may change"),
  }),
  event("plan-refused", "A plan of the manager's cannot be followed, and goes back to it", {
    problem: text.describe("Why"),
  }),
  event("item-started", "An attempt at an item begins", {
    ...round,
    title: text.describe("What is to be done"),
    state_id: stateId.describe("The state that it begins with"),
  }),
  event("worker-finished", "A worker's turn is over and recorded", {
    ...round,
    state_id: stateId.describe("The state with its work"),
    conversation_id: text.describe("The worker's conversation"),
    cost_usd: z.number().describe("What the turn cost, in US dollars; of an offline turn what the price list says"),
    offline: z.boolean().describe("Whether the offline model answered, so that nobody paid"),
    is_reused: z.boolean().describe("Whether it was taken before the team was cut off"),
  }),
  event("evidence-gathered", "What is known of the work without asking who did it", {
    ...round,
    state_id: stateId.describe("The state with the work"),
    changes: z.array(change).describe("The files that are different"),
    gates: z.array(gate).describe("What the gates came to; none where the files alone decide"),
    violations: texts.describe("Protected files that were changed"),
    tool_errors: z.int().describe("Tool calls that failed or were denied"),
  }),
  event("verdict", "The work is approved or sent back", {
    ...round,
    by: z.enum(["evidence", "gates", "manager", "person"]).describe("Who said so"),
    verdict: verdict.describe("What was said"),
  }),
  event("item-stuck", "A worker does not get on", { ...round, reason: text.describe("By what that is known") }),
  event("remedy-chosen", "What becomes of an item that was not approved", {
    item: round.item,
    remedy: remedy.describe("What, and why"),
  }),
  event("item-conflict", "Approved work does not go together with others', and is work again", {
    item: round.item,
    paths: texts.describe("Files that both changed; none where only the gates fail on both together"),
  }),
  event("item-merged", "Approved work is in the directory", {
    item: round.item,
    state_id: stateId.describe("The directory's state with it"),
    way_back: text.describe("The state that the directory was at before"),
  }),
  event("item-ended", "An item is over", {
    item: round.item,
    status: text.describe("How"),
    reason: text.describe("Why"),
  }),
  event("escalated", "A person is asked", {
    question: question.describe("What is asked"),
  }),
  event("answered", "A person has answered, or nobody did in time", {
    question_id: text.describe("The question's id"),
    answer: answer.describe("The answer"),
  }),
];

/** An event of a team as a line of JSON; its end is the envelope, and has none. */
export function toTeamLine(told: TeamEvent): unknown {
  return told.type === "team-end" ? undefined : toWire(told);
}

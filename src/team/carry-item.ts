import { z } from "zod";
import { readStateFile, type State } from "../trace/internal.ts";
import type { TeamDesk } from "./desk.ts";
import { beginAttempt, gatesOn, workOn, type Attempt, type AttemptEnding, type ItemParts } from "./do-item.ts";
import { GateResult } from "./gates.ts";
import { mergeItem, type Merging, type MergeParts } from "./merge-item.ts";
import { findPlanProblem, type WorkItem } from "./plan.ts";
import { conflictPrompt, feedbackPrompt, remedyPrompt } from "./prompts.ts";
import type { ItemStatus, TeamAnswer, TeamQuestion } from "./team-events.ts";
import { judgeGates } from "./judge-evidence.ts";
import { Remedy } from "./verdict.ts";

export interface CarryParts extends ItemParts {
  readonly merging: MergeParts;
  /** One merge at a time. */
  readonly inTurn: <Value>(run: () => Promise<Value>) => Promise<Value>;
  /** How many kinds of worker there are. */
  readonly profiles: number;
  readonly ask: (question: Omit<TeamQuestion, "id">, name: string) => Promise<TeamAnswer>;
  /** The items that wait for one. */
  readonly dependents: (item: string) => readonly string[];
  /** Whether an item came of a plan that was changed already: it is not taken apart again. */
  readonly isReplacement: (item: string) => boolean;
}

/** How an item ended, and what takes its place. */
export interface ItemEnding {
  readonly status: Extract<ItemStatus, "merged" | "skipped" | "replaced" | "escalated">;
  readonly reason: string;
  readonly stateId?: string;
  readonly items?: readonly WorkItem[];
}

/** Carries one item from its beginning to the directory, or to where it ends; undefined where the team has to end. */
export async function carryItem(parts: CarryParts, item: WorkItem, profile: number): Promise<ItemEnding | undefined> {
  const { desk } = parts;
  let next: Next = { number: 1, profile, approach: "" };
  for (;;) {
    const attempt = await beginAttempt(parts, { item, ...next });
    const { profile: worker, number, base } = attempt;
    const started = { item: item.id, title: item.title, stateId: base.id, worker, attempt: number, round: 1 };
    await desk.tell({ type: "item-started", ...started });
    const ending = await workAndMerge(parts, attempt);
    if (!ending) return undefined;
    if (ending.type === "merged") return { status: "merged", reason: "approved", stateId: ending.stateId };
    const remedy = await chooseRemedy(parts, { attempt, ending });
    if (!remedy) return undefined;
    await desk.tell({ type: "remedy-chosen", item: item.id, remedy });
    const what = await applyRemedy(parts, { attempt, ending, remedy });
    if (!what || "status" in what) return what;
    next = what;
  }
}

/** What the next attempt at an item is. */
interface Next {
  readonly number: number;
  readonly profile: number;
  readonly approach: string;
}

async function applyRemedy(
  parts: CarryParts,
  { remedy, ...rejected }: Rejected & { readonly remedy: Remedy },
): Promise<ItemEnding | Next | undefined> {
  const { action, reason, approach, items } = remedy;
  const { number, profile } = rejected.attempt;
  switch (action) {
    case "skip":
      return { status: "skipped", reason };
    case "replan":
      return { status: "replaced", reason, items };
    case "done":
      return await acceptUnchanged(parts, { ...rejected, reason });
    case "retry":
      return { number: number + 1, profile, approach };
    case "reassign":
      return { number: number + 1, profile: (profile + 1) % parts.profiles, approach };
    case "escalate":
      return await followAnswer(parts, { ...rejected, reason });
  }
}

/** What was there already is done, where the gates say so, too. */
async function acceptUnchanged(
  parts: CarryParts,
  { attempt, ending, reason }: Rejected & { readonly reason: string },
): Promise<ItemEnding | Next | undefined> {
  const { desk, gateOptions } = parts;
  const name = `${attempt.name}/done`;
  const gates = await desk.once(name, z.array(GateResult), async () => [
    ...(await gatesOn(desk, ending.state, gateOptions)),
  ]);
  if (gates.every(({ passed }) => passed)) return { status: "skipped", reason: `done already: ${reason}` };
  return await followAnswer(parts, { attempt, ending, reason: `${reason} (the gates fail)` });
}

/** Asks a person, and does as they say. */
async function followAnswer(
  parts: CarryParts,
  { attempt, ending, reason }: Rejected & { readonly reason: string },
): Promise<ItemEnding | Next | undefined> {
  const { choice, message } = await escalate(parts, { attempt, ending, reason });
  switch (choice) {
    case "retry":
      return { number: attempt.number + 1, profile: attempt.profile, approach: message ?? "" };
    case "skip":
      return { status: "skipped", reason: message ?? reason };
    case "approve": {
      const { base } = attempt;
      const merged = await integrate(parts, { attempt, base, state: ending.state, tries: BY_A_PERSON });
      if (merged?.type === "merged")
        return { status: "merged", reason: "approved by a person", stateId: merged.stateId };
      return merged && { status: "escalated", reason: "what a person approved does not go together with others' work" };
    }
    case "stop":
      parts.desk.stop("stopped");
      return undefined;
    case "unanswered":
      return { status: "escalated", reason };
  }
}

/** The place of a merge that a person asked for, among the tries of an attempt. */
const BY_A_PERSON = 1000;

type Ending = Extract<Merging, { type: "merged" }> | Extract<AttemptEnding, { type: "rejected" }>;

/** Works until the item is in the directory, or nobody gets on with it. What does not go together with others' work is work again. */
async function workAndMerge(parts: CarryParts, first: Attempt): Promise<Ending | undefined> {
  let attempt = first;
  for (let tries = 1; ; tries += 1) {
    const ending = await workOn(parts, attempt);
    if (!ending || ending.type === "rejected") return ending;
    const merging = await integrate(parts, { attempt, ...ending, tries });
    if (!merging || merging.type === "merged") return merging;
    attempt = goOn(attempt, merging, tries);
    if (tries >= parts.desk.settings.maxRounds) {
      return {
        type: "rejected",
        reason: "it could not be merged with the others' work",
        history: [],
        state: ending.state,
      };
    }
  }
}

interface Integrating {
  readonly attempt: Attempt;
  readonly base: State;
  readonly state: State;
  readonly tries: number;
}

async function integrate(
  parts: CarryParts,
  { attempt, base, state, tries }: Integrating,
): Promise<Merging | undefined> {
  const { desk, merging, inTurn } = parts;
  const { item } = attempt;
  await parts.onStatus(item.id, "integrating");
  if (desk.stopped && !desk.isDone(`${item.id}/merged`)) return undefined;
  const name = `${attempt.name}/merge-${tries}`;
  const merged = (await recallGiven(desk, name)) ?? (await inTurn(() => mergeItem(merging, { item, base, state })));
  if (merged.type === "given-back" && !desk.isDone(name)) await noteGiven(desk, name, merged);
  if (merged.type === "merged") {
    await desk.tell({ type: "item-merged", item: item.id, stateId: merged.stateId, wayBack: merged.wayBack });
  } else await desk.tell({ type: "item-conflict", item: item.id, paths: merged.paths });
  return merged;
}

const Given = z.strictObject({
  paths: z.array(z.string()),
  gates: z.array(GateResult),
  start: z.string(),
  base: z.string(),
});

type GivenBack = Extract<Merging, { type: "given-back" }>;

/** What was given back goes on from the same files, also where the team was cut off in between. */
async function noteGiven(desk: TeamDesk, name: string, { paths, gates, start, base }: GivenBack): Promise<void> {
  const given = { paths: [...paths], gates: [...gates], start: start.id, base: base.id };
  await desk.once(name, Given, async () => given);
}

async function recallGiven(desk: TeamDesk, name: string): Promise<GivenBack | undefined> {
  if (!desk.isDone(name)) return undefined;
  const { states } = desk.workspace;
  const given = await desk.once(name, Given, () => Promise.reject(new Error(name)));
  const [start, base] = [await readStateFile(states, given.start), await readStateFile(states, given.base)];
  return { type: "given-back", paths: given.paths, gates: given.gates, start, base };
}

/** The same item once more, in the files of both. */
function goOn(attempt: Attempt, given: GivenBack, tries: number): Attempt {
  const { item } = attempt;
  const { paths, gates, start, base } = given;
  const failed = judgeGates(gates)?.verdict ?? { approved: false, issues: [], requiredChanges: [] };
  const issues = ["Others' work came in meanwhile: the files are those of both now.", ...failed.issues];
  const prompt = paths.length > 0 ? conflictPrompt(item, paths) : feedbackPrompt(item, { ...failed, issues });
  return { ...attempt, name: `${attempt.name}/merge-${tries}`, base, start, prompt, conflicts: paths };
}

interface Rejected {
  readonly attempt: Attempt;
  readonly ending: Extract<AttemptEnding, { type: "rejected" }>;
}

/** Asks the manager what becomes of an item, among what is still possible; where nothing but a person is left, nobody is asked. */
async function chooseRemedy(parts: CarryParts, { attempt, ending }: Rejected): Promise<Remedy | undefined> {
  const { desk, manager, dependents, isReplacement } = parts;
  const { item, number, name } = attempt;
  const waiting = dependents(item.id);
  const isLast = number >= desk.settings.maxAttempts;
  const actions: readonly Remedy["action"][] = [
    ...(isLast ? [] : (["retry", "reassign"] as const)),
    ...(isReplacement(item.id) ? [] : (["replan"] as const)),
    ...(ending.state.filesId === attempt.base.filesId ? (["done"] as const) : []),
    ...(waiting.length > 0 ? [] : (["skip"] as const)),
    "escalate",
  ];
  const escalated: Remedy = { action: "escalate", reason: ending.reason, approach: "", items: [] };
  if (actions.length === 1) return escalated;
  const prompt = remedyPrompt({ item, ...ending }, { actions, dependents: waiting });
  const remedy = await manager.ask({ name: `${name}/remedy`, prompt, schema: Remedy, files: ending.state });
  const problem = remedy && problemOf(remedy, actions);
  return problem === undefined ? remedy : { ...escalated, reason: problem };
}

/** Why a remedy cannot be applied; undefined where it can. */
function problemOf({ action, reason, items }: Remedy, actions: readonly Remedy["action"][]): string | undefined {
  if (!actions.includes(action)) return `${reason} (${action} is not possible any more)`;
  if (action !== "replan") return undefined;
  if (items.length === 0) return `${reason} (replan names no items)`;
  // They are put among the others: what they depend on beside each other is what the item before depended on.
  const ids = new Set(items.map(({ id }) => id));
  const own = items.map((item) => ({ ...item, dependencies: item.dependencies.filter((id) => ids.has(id)) }));
  const problem = findPlanProblem(own);
  return problem && `${reason} (${problem})`;
}

async function escalate(
  parts: CarryParts,
  { attempt: { item, name }, ending, reason }: Rejected & { readonly reason: string },
): Promise<TeamAnswer> {
  const issues = ending.history.at(-1)?.issues ?? [];
  const text = [`The item "${item.title}" is not done: ${reason}.`, ...issues].join("\n\n");
  const isSkippable = parts.dependents(item.id).length === 0;
  const choices: readonly TeamAnswer["choice"][] = [
    "approve",
    "retry",
    ...(isSkippable ? (["skip"] as const) : []),
    "stop",
  ];
  return await parts.ask({ kind: "item", item: item.id, text, choices }, `${name}/escalated`);
}

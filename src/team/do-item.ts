import { z } from "zod";
import { addNote, readStateFile, RECORDING_MS, recordPresent, takeDirectory, type State } from "../trace/internal.ts";
import type { TakenTurn, TeamDesk } from "./desk.ts";
import { gatherEvidence, type Evidence } from "./evidence.ts";
import { GateResult, runGates, type GateOptions } from "./gates.ts";
import { judgeEvidence, progressKey } from "./judge-evidence.ts";
import type { Manager } from "./manager.ts";
import type { WorkItem } from "./plan.ts";
import { feedbackPrompt, itemPrompt, reviewPrompt } from "./prompts.ts";
import type { ItemStatus, Round } from "./team-events.ts";
import { Verdict } from "./verdict.ts";
import type { Workers } from "./worker.ts";

export interface ItemParts {
  readonly desk: TeamDesk;
  readonly manager: Manager;
  readonly workers: Workers;
  /** Globs of files that no worker may change: those of the settings, and those of the plan. */
  readonly protect: readonly string[];
  readonly gateOptions: Omit<GateOptions, "signal">;
  /** Told how far an item is. */
  readonly onStatus: (item: string, status: ItemStatus) => Promise<void>;
  /** Told what an item has come to, for the result. */
  readonly onProgress: (item: string, progress: ItemProgress) => void;
}

/** What a round of work adds to what an item came to. */
export interface ItemProgress {
  readonly attempt: number;
  readonly costUsd: number;
  readonly stateId: string;
}

/** One attempt at an item, from one state, in some rounds. */
export interface Attempt {
  readonly item: WorkItem;
  /** The attempt's own name among the steps. */
  readonly name: string;
  readonly number: number;
  readonly profile: number;
  /** What the work is measured against. */
  readonly base: State;
  /** The state that it begins with. */
  readonly start: State;
  readonly prompt: string;
  /** Files in which two workers' changes have to be settled. */
  readonly conflicts: readonly string[];
}

/** How an attempt ended; undefined where the team has to end. */
export type AttemptEnding =
  | { readonly type: "approved"; readonly base: State; readonly state: State }
  | { readonly type: "rejected"; readonly reason: string; readonly history: readonly Verdict[]; readonly state: State };

/** Begins an attempt at an item from the directory as it is now. */
export async function beginAttempt(
  { desk, protect }: ItemParts,
  {
    item,
    number,
    profile,
    approach,
  }: { readonly item: WorkItem; readonly number: number; readonly profile: number; readonly approach: string },
): Promise<Attempt> {
  const { workspace, settings } = desk;
  const name = `${item.id}/${number}`;
  const id = await desk.once(`${name}/base`, z.string(), async () => {
    await using _ = await takeDirectory(workspace, { waitMs: RECORDING_MS });
    return (await recordPresent(workspace)).id;
  });
  const base = await readStateFile(workspace.states, id);
  const terms = { gates: settings.gates, protect };
  const prompt = itemPrompt(settings.goal, { item, approach, terms });
  return { item, name, number, profile, base, start: base, prompt, conflicts: [] };
}

/** Works in rounds until the item is approved, does not get on, or has had all its rounds. */
export async function workOn(parts: ItemParts, attempt: Attempt): Promise<AttemptEnding | undefined> {
  const { desk } = parts;
  const { item, base, name, number, profile } = attempt;
  let { start: from, prompt } = attempt;
  const seen = new Set<string>();
  const history: Verdict[] = [];
  for (let count = 1; count <= desk.settings.maxRounds; count += 1) {
    const round: Round = { item: item.id, worker: profile, attempt: number, round: count };
    const taken = await takeRound(parts, { name: `${name}/${count}`, round, from, prompt });
    if (!taken) return undefined;
    const evidence = await look(parts, { attempt, round, taken, name: `${name}/${count}` });
    if (!evidence) return undefined;
    const judged = await judge(parts, { attempt, taken, evidence, name: `${name}/${count}` });
    if (!judged) return undefined;
    await desk.tell({ type: "verdict", ...round, ...judged });
    if (judged.verdict.approved) return { type: "approved", base, state: taken.state };
    history.push(judged.verdict);
    from = taken.state;
    const key = progressKey(from.filesId, evidence);
    if (seen.has(key)) {
      const reason = "the files and what is wrong with them stayed as they were";
      await desk.tell({ type: "item-stuck", ...round, reason });
      return { type: "rejected", reason, history, state: from };
    }
    seen.add(key);
    prompt = feedbackPrompt(item, judged.verdict);
  }
  const reason = `it was not approved in ${desk.settings.maxRounds} rounds`;
  return { type: "rejected", reason, history, state: from };
}

interface RoundPlan {
  readonly name: string;
  readonly round: Round;
  readonly from: State;
  readonly prompt: string;
}

async function takeRound(parts: ItemParts, { name, round, from, prompt }: RoundPlan): Promise<TakenTurn | undefined> {
  const { desk, workers, onProgress, onStatus } = parts;
  if (!desk.isDone(name) && !desk.takeIteration()) return undefined;
  await onStatus(round.item, "working");
  const taken = await workers.work({ name, profile: round.worker, from, prompt });
  if (!taken) return undefined;
  const { state, transition, isReused } = taken;
  const { costUsd, offline = false } = transition.execution;
  onProgress(round.item, { attempt: round.attempt, costUsd, stateId: state.id });
  const { conversationId } = transition;
  await desk.tell({ type: "worker-finished", ...round, stateId: state.id, conversationId, costUsd, offline, isReused });
  return taken;
}

interface Looking {
  readonly attempt: Attempt;
  readonly round: Round;
  readonly taken: TakenTurn;
  readonly name: string;
}

/** Gathers the evidence. Gates are not run where nothing was changed or what must not be was: nobody could accept it. */
async function look(
  { desk, protect, gateOptions }: ItemParts,
  { attempt: { base, conflicts }, round, taken: { state, transition }, name }: Looking,
): Promise<Evidence | undefined> {
  const { workspace } = desk;
  const source = { workspace, base, state, transition, protect, conflicts };
  const before = await gatherEvidence({ ...source, gates: [] });
  const isOver = judgeEvidence(before) !== undefined;
  if (desk.stopped && !desk.isDone(`${name}/gates`) && !isOver) return undefined;
  const gates = isOver
    ? []
    : await desk.once(`${name}/gates`, z.array(GateResult), async () => [...(await gatesOn(desk, state, gateOptions))]);
  const evidence: Evidence = { ...before, gates };
  const { changes, violations, toolErrors } = evidence;
  await desk.tell({ type: "evidence-gathered", ...round, stateId: state.id, changes, gates, violations, toolErrors });
  return evidence;
}

/** Runs the gates on a branch of a state. What they say is a reward of the state, too: the tree and the lists show it. */
export async function gatesOn(
  { workspace, settings, signal }: TeamDesk,
  { id }: State,
  options: Omit<GateOptions, "signal">,
): Promise<readonly GateResult[]> {
  if (settings.gates.length === 0) return [];
  await using branch = await workspace.branch(id);
  const gates = await runGates(branch, settings.gates, { ...options, signal });
  await addNote(workspace, id, { rewards: { gates: shareOf(gates) } });
  return gates;
}

/** How many of the gates pass, from 0 to 1. */
export function shareOf(gates: readonly GateResult[]): number {
  return gates.length === 0 ? 1 : gates.filter(({ passed }) => passed).length / gates.length;
}

async function judge(
  { desk, manager, onStatus }: ItemParts,
  { attempt: { item }, taken, evidence, name }: Omit<Looking, "round"> & { readonly evidence: Evidence },
) {
  const found = judgeEvidence(evidence);
  if (found) return found;
  await onStatus(item.id, "reviewing");
  const prompt = reviewPrompt(desk.settings.goal, { item, evidence });
  const verdict = await manager.ask({ name: `${name}/review`, prompt, schema: Verdict, files: taken.state });
  return verdict && { by: "manager" as const, verdict };
}

import { z } from "zod";
import { NO_USAGE, type TurnResult } from "../core/internal.ts";
import {
  createTransition,
  presentState,
  readStateFile,
  readTransitionOf,
  RECORDING_MS,
  recordPresent,
  restoreState,
  takeDirectory,
  TransitionRecorder,
  type State,
} from "../trace/internal.ts";
import type { EnvironmentSnapshot, StateId, Workspace } from "../workspace/internal.ts";
import type { TeamDesk } from "./desk.ts";
import { runGates, type GateOptions, type GateResult } from "./gates.ts";
import type { WorkItem } from "./plan.ts";

/** Approved work that is to be brought into the directory. */
export interface ApprovedWork {
  readonly item: WorkItem;
  /** The state that the work began with. */
  readonly base: State;
  readonly state: State;
}

/** What became of it: it is in the directory, or somebody has to go on with it first, from a state where both are together. */
export type Merging =
  | { readonly type: "merged"; readonly stateId: StateId; readonly wayBack: StateId }
  | {
      readonly type: "given-back";
      /** Files with marks of both sides; none where only the gates fail. */
      readonly paths: readonly string[];
      readonly gates: readonly GateResult[];
      /** The worker's memory with the files of both. */
      readonly start: State;
      /** What the work is to be measured against from here on. */
      readonly base: State;
    };

export interface MergeParts {
  readonly desk: TeamDesk;
  /** The conversation that the accepted items make. */
  readonly trunk: string;
  readonly gateOptions: Omit<GateOptions, "signal">;
}

/**
 * Brings approved work into the directory, three ways with what came there since. The gates run on what is merged before anything is
 * changed; then it is one turn after the directory's head, so that `skein undo` takes the whole item back. One at a time.
 */
export async function mergeItem(parts: MergeParts, work: ApprovedWork): Promise<Merging> {
  const { desk } = parts;
  const { workspace } = desk;
  for (;;) {
    const head = await present(workspace);
    const recorded = await findRecorded(parts, work);
    if (recorded) return await arrive(parts, { work, merged: recorded, head });
    const joined = await join(parts, work, head);
    if ("type" in joined) return joined;
    await using _ = await takeDirectory(workspace, { waitMs: RECORDING_MS });
    // Somebody worked in the directory while the gates ran: what is merged has to hold that, too.
    if ((await recordPresent(workspace)).id !== head.id) continue;
    const merged = await record(parts, { work, after: joined });
    return await arrive(parts, { work, merged, head, isClaimed: true });
  }
}

async function present(workspace: Workspace): Promise<State> {
  await using _ = await takeDirectory(workspace, { waitMs: RECORDING_MS });
  return await recordPresent(workspace);
}

/** The files of both, where they go together and the gates pass. */
async function join(
  { desk, gateOptions }: MergeParts,
  { base, state }: ApprovedWork,
  head: State,
): Promise<EnvironmentSnapshot | Extract<Merging, { type: "given-back" }>> {
  const { workspace, settings, signal } = desk;
  await using branch = await workspace.branch(head.id);
  // What leads back from the work to its base, taken back: the work itself, over what is there now.
  const { conflicts } = await branch.takeBack({ before: state.id, after: base.id }, { onConflict: "merge" });
  const files = await branch.snapshot();
  // Where both have committed, the directory's own branch stays where it is: items are files, and commits are the user's.
  const paths = [...new Set(conflicts.map(({ path }) => path))].filter((path) => !/^\.git(?:\/|$)/u.test(path));
  const isKnown = paths.length === 0 && files.id === state.filesId;
  const gates = isKnown || paths.length > 0 ? [] : await runGates(branch, settings.gates, { ...gateOptions, signal });
  if (paths.length === 0 && gates.every(({ passed }) => passed)) return files;
  const start = await presentState(workspace, state, files);
  return { type: "given-back", paths, gates, start, base: head };
}

/** A merge that was recorded before the team was cut off. */
async function findRecorded({ desk, trunk }: MergeParts, { item }: ApprovedWork): Promise<State | undefined> {
  const { workspace } = desk;
  for (let id = await workspace.states.tip(trunk); id !== undefined;) {
    const state: State = await readStateFile(workspace.states, id);
    if (state.conversationId !== trunk) return undefined;
    const transition = state.kind === "turn" ? await readTransitionOf(workspace, state.id) : undefined;
    if (transition?.metadata["teamItem"] === item.id) return state;
    id = state.parentId;
  }
  return undefined;
}

async function record(
  { desk, trunk }: MergeParts,
  { work: { item, state }, after }: { readonly work: ApprovedWork; readonly after: EnvironmentSnapshot },
): Promise<State> {
  const { workspace } = desk;
  const execution: TurnResult = {
    text: `${item.title}: approved and merged.`,
    sessionId: "",
    isError: false,
    usage: NO_USAGE,
    usageByModel: {},
    // What it cost is counted where it was paid, in the turns of the manager and the workers.
    costUsd: 0,
    durationMs: 0,
    responses: 0,
    model: "",
    permissionDenials: [],
  };
  const transition = createTransition({
    before: await workspace.snapshot(),
    prompt: item.title,
    execution,
    after,
    conversationId: trunk,
    metadata: { team: desk.id, teamItem: item.id, teamWork: state.id },
  });
  await using recorder = await TransitionRecorder.open(workspace);
  const { after: point } = await recorder.record(transition, { isClaimed: true });
  return await readStateFile(workspace.states, point.stateId ?? "");
}

interface Arriving {
  readonly work: ApprovedWork;
  readonly merged: State;
  readonly head: State;
  readonly isClaimed?: boolean;
}

/** Makes the directory equal to what is merged, unless it is, or somebody has gone on from there. */
async function arrive({ desk }: MergeParts, { work, merged, head, isClaimed = false }: Arriving): Promise<Merging> {
  const { workspace } = desk;
  const name = `${work.item.id}/merged`;
  const Arrived = z.strictObject({ stateId: z.string(), wayBack: z.string() });
  const { stateId, wayBack } = await desk.once(name, Arrived, async () => {
    if (await isAfter(workspace, head, merged)) return { stateId: merged.id, wayBack: merged.parentId ?? head.id };
    const { wayBack: back = head.id } = await restoreState(workspace, merged.id, { isClaimed });
    return { stateId: merged.id, wayBack: back };
  });
  return { type: "merged", stateId, wayBack };
}

async function isAfter({ states }: Workspace, state: State, earlier: State): Promise<boolean> {
  for (
    let at: State | undefined = state;
    at;
    at = at.parentId === undefined ? undefined : await readStateFile(states, at.parentId)
  ) {
    if (at.id === earlier.id) return true;
    if (at.recordedAt < earlier.recordedAt) return false;
  }
  return false;
}

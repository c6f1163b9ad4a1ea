import { createId } from "../../core/internal.ts";
import type { StateId, Workspace } from "../../workspace/internal.ts";
import { readStateFile, type State } from "../record/state.ts";
import { listJournals } from "../turn/journal.ts";

/** The last turn of a conversation whose name is gone or stands further back, though nobody removed it: a disk lost it. */
export interface LostState {
  readonly stateId: StateId;
  readonly conversationId: string;
  readonly subject: string;
  readonly recordedAt: string;
}

/** Gives them their names back: that of their conversation, or one of their own where it has gone on without them. */
export async function nameLostStates(workspace: Workspace): Promise<readonly LostState[]> {
  const named: LostState[] = [];
  for (const lost of await findLostStates(workspace)) {
    const { states, clock } = workspace;
    const tip = await states.tip(lost.conversationId);
    const isBehind = tip === undefined || (await states.list([tip], [lost.stateId])).length === 0;
    const conversationId = isBehind ? lost.conversationId : createId(clock);
    await states.moveTip(conversationId, { from: isBehind ? tip : undefined, to: lost.stateId });
    named.push({ ...lost, conversationId });
  }
  return named;
}

/** Recorded turns that are in the store while no name leads to them any more. */
export async function findLostStates(workspace: Workspace): Promise<readonly LostState[]> {
  const { states } = workspace;
  const unnamed = await states.unnamed();
  if (unnamed.length === 0) return [];
  // A turn that runs, or was cut off, names its state itself or has it named by whoever records it.
  const open = new Set((await listJournals(workspace)).map(({ head }) => head.beforeStateId));
  const [conversations, removed] = [await states.conversations(), await states.removed()];
  const reached = new Set(await states.list(new Set((await states.tips()).values())));
  const lost: State[] = [];
  for (const id of unnamed) {
    const state = await readStateFile(states, id).catch(() => undefined);
    if (state?.kind !== "turn" || removed.has(id) || open.has(state.parentId ?? "")) continue;
    if (!(conversations.has(state.conversationId) && reached.has(id))) lost.push(state);
  }
  const before = new Set(lost.map(({ parentId }) => parentId));
  return lost
    .filter(({ id }) => !before.has(id))
    .toSorted((left, right) => (left.recordedAt < right.recordedAt ? -1 : 1))
    .map(({ id: stateId, conversationId, subject, recordedAt }) => ({ stateId, conversationId, subject, recordedAt }));
}

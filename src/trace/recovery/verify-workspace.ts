import type { StateId, Workspace } from "../../workspace/internal.ts";
import { findLostStates } from "./lost-states.ts";
import { readNote } from "../record/note.ts";
import { readSegment } from "../session/session-segments.ts";
import { readStateFile } from "../record/state.ts";
import { readTransitionFile } from "../record/transition-file.ts";

/** What a check of everything recorded came to. */
export interface Verification {
  readonly states: number;
  /** A sentence for each thing that is wrong; none where all is well. */
  readonly problems: readonly string[];
}

/** Checks that every object of the store has its right hash, and that every state can be read whole. */
export async function verifyWorkspace(workspace: Workspace): Promise<Verification> {
  const { states, snapshots } = workspace;
  const problems = [...(await snapshots.verify())];
  const ids = await states.list(new Set((await states.tips()).values())).catch((error: unknown) => {
    problems.push(`the states cannot be listed: ${String(error)}`);
    return [];
  });
  for (const [id, blob] of await states.notes()) {
    const { problem } = await readNote(workspace, id, blob);
    if (problem !== undefined) problems.push(problem);
  }
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const found = await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => checkState(workspace, id)));
    problems.push(...found.flat());
  }
  problems.push(...(await findLostNames(workspace)));
  return { states: ids.length, problems };
}

/** As many states are asked for together: each answer by itself is a way to git and back. */
const AT_ONCE = 128;

async function checkState({ states }: Workspace, id: StateId): Promise<readonly string[]> {
  try {
    const state = await readStateFile(states, id);
    if (state.kind !== "turn") return [];
    const { turn } = await readTransitionFile(states, state.stored);
    // Earlier segments are the same objects as in the states before.
    await readSegment(states, state, turn);
    return [];
  } catch (error) {
    return [`the state ${id} cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

async function findLostNames(workspace: Workspace): Promise<readonly string[]> {
  try {
    return (await findLostStates(workspace)).map(
      ({ conversationId, stateId }) =>
        `the conversation ${conversationId} has lost its name at ${stateId}: skein recover --keep gives it back`,
    );
  } catch (error) {
    return [`the states without a name cannot be listed: ${error instanceof Error ? error.message : String(error)}`];
  }
}

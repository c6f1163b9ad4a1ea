import { createId, SkeinError } from "../core/index.ts";
import { isSameLeftOut } from "../snapshot/index.ts";
import type { EnvironmentSnapshot, Workspace } from "../workspace/index.ts";
import { recordState, type RecordedFiles } from "./record-state.ts";
import { readStateFile, type State } from "./state.ts";

/** The state at which a directory stands; undefined where nothing was recorded in it. */
export async function headState(workspace: Workspace): Promise<State | undefined> {
  const head = await workspace.states.head();
  return head && (await readStateFile(workspace.states, head.stateId));
}

/** The files as they are before a turn, of which nothing is recorded if it is cancelled meanwhile. */
export async function snapshotBefore(
  workspace: Workspace,
  signal: AbortSignal | undefined,
): Promise<EnvironmentSnapshot> {
  try {
    return await workspace.snapshot(signal ? { signal } : {});
  } catch (cause) {
    if (!signal?.aborted || cause instanceof SkeinError) throw cause;
    throw new SkeinError("The turn was cancelled before it began", { kind: "cancelled", cause });
  }
}

/**
 * The state that a directory is in now: the given one where its files are as that has them, and a new one on top of it
 * where they were changed since, by hand or by another program. The new one is not named by anything yet.
 */
export async function presentState(workspace: Workspace, base: State, snapshot: RecordedFiles): Promise<State> {
  if (isAt(base, snapshot)) return base;
  const { conversationId, settings, sessionId } = base;
  return await recordState(workspace, { kind: "edit", conversationId, snapshot, parent: base, settings, sessionId });
}

/** What no state holds counts too: a turn must not be blamed for what became of it before. */
function isAt(base: State, snapshot: RecordedFiles): boolean {
  return snapshot.id === base.filesId && isSameLeftOut(base.leftOut, snapshot.leftOut);
}

/**
 * Records the files of a directory as they are, so that the state can be named and come back to. A conversation that
 * stands here goes on from it; elsewhere one begins with it, so that something always names it. The caller holds the
 * directory.
 */
export async function recordPresent(
  workspace: Workspace,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<State> {
  const { states, clock } = workspace;
  const head = await states.head();
  const snapshot = await workspace.snapshot(signal ? { signal } : {});
  const base = head && (await readStateFile(states, head.stateId));
  if (base && isAt(base, snapshot)) return base;
  const conversationId = head?.conversationId ?? createId(clock);
  const present = base
    ? await presentState(workspace, { ...base, conversationId }, snapshot)
    : await recordState(workspace, { kind: "start", conversationId, snapshot, settings: {} });
  await states.moveTip(conversationId, { from: head?.conversationId && head.stateId, to: present.id });
  await states.setHead({ stateId: present.id, conversationId });
  return present;
}

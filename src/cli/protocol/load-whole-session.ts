import { SkeinError, toSkeinError } from "../../core/index.ts";
import { readSession, readStateFile, TransitionRecorder, type SessionSegment } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { findSession, type FoundSession } from "./find-session.ts";

/** A recorded conversation with all that was said in it. */
export interface WholeSession {
  readonly session: FoundSession;
  readonly transcript: SessionSegment;
}

/** Loads a recorded conversation with its whole transcript: one of which a part is lost or damaged is not loaded. */
export async function loadWholeSession(workspace: Workspace, id: string): Promise<WholeSession> {
  try {
    await using recorder = await TransitionRecorder.open(workspace);
    const session = await findSession({ recorder, workspace }, id);
    const { states } = workspace;
    return { session, transcript: await readSession(states, await readStateFile(states, session.tip)) };
  } catch (thrown) {
    const cause = toSkeinError(thrown);
    if (cause.kind === "session_not_found") throw cause;
    throw new SkeinError(`The session ${id} cannot be loaded: ${cause.message}`, {
      kind: "session_load_failed",
      target: id,
      retryable: cause.retryable,
      hint: cause.hint ?? "skein verify shows what is wrong with the store",
      cause,
    });
  }
}

/** How many messages a transcript has, those of sub-agents too. */
export function countMessages({ main, subagents }: SessionSegment): number {
  const entries = [main, ...subagents.values()].flat();
  return entries.filter(({ type }) => type === "user" || type === "assistant").length;
}

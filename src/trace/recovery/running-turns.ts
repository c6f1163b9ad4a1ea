import type { Workspace } from "../../workspace/internal.ts";
import { listJournals } from "../turn/journal.ts";

/** A turn that runs now, in a workspace or on a branch of it. */
export interface RunningTurn {
  readonly transitionId: string;
  readonly conversationId: string;
  readonly prompt: string;
  readonly startedAt: string;
  readonly directory: string;
}

/** The recorded turns that run now in a workspace and its branches, in whatever process, the oldest first. */
export async function findRunningTurns(workspace: Workspace): Promise<readonly RunningTurn[]> {
  const journals = await listJournals(workspace);
  return journals
    .filter(({ isCutOff, result }) => !isCutOff && result === undefined)
    .map(({ head: { transitionId, conversationId, prompt, startedAt, directory } }) => ({
      transitionId,
      conversationId,
      prompt: prompt.text,
      startedAt,
      directory,
    }))
    .toSorted((left, right) => (left.startedAt < right.startedAt ? -1 : 1));
}

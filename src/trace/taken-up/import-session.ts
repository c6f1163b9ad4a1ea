import { createId } from "../../core/index.ts";
import type { SecretRedactor } from "../../engine/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { headState } from "../present-state.ts";
import { recordState } from "../record-state.ts";
import { takeDirectory } from "../interrupted-turns.ts";
import type { Settings, State } from "../state.ts";
import { findForeignSession, type ForeignSession } from "./find-foreign-session.ts";
import { readForeignSession } from "./read-foreign-session.ts";
import { redactSegment } from "./redact-segment.ts";

/** How a session is taken up. */
export interface ImportParts {
  readonly settings: Settings;
  readonly secrets: SecretRedactor;
  /** The caller has taken the directory already. */
  readonly isClaimed?: boolean | undefined;
}

/**
 * Records the beginning of a conversation that goes on with a session of Claude Code's own: the files as they are, and all that was said. What
 * files there were at its earlier turns nobody knows, so that these are no turns of the record. The session's own files are only read.
 */
export async function importSession(
  workspace: Workspace,
  wanted: ForeignSession,
  { settings, secrets, isClaimed = false }: ImportParts,
): Promise<State> {
  const path = await findForeignSession(wanted, workspace.path);
  const { sessionId, segment } = await readForeignSession(path);
  const { states, clock } = workspace;
  await using _ = isClaimed ? undefined : await takeDirectory(workspace);
  const conversationId = createId(clock);
  const state = await recordState(workspace, {
    kind: "start",
    conversationId,
    snapshot: await workspace.snapshot(),
    parent: await headState(workspace),
    settings,
    sessionId,
    earlier: redactSegment(segment, secrets),
  });
  await states.moveTip(conversationId, { from: undefined, to: state.id });
  await states.setHead({ stateId: state.id, conversationId });
  return state;
}

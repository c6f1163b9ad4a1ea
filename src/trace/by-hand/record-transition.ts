import { SkeinError } from "../../core/index.ts";
import { createSecretRedactor } from "../../engine/index.ts";
import type { EnvironmentSnapshot, Workspace } from "../../workspace/index.ts";
import { presentState, recordStart } from "../record-state.ts";
import { redactSegment } from "../session/session-segments.ts";
import { readStateFile, type State } from "../state.ts";
import type { Transition } from "../transition.ts";
import { recordTurnState, setHead } from "../turn/finish-turn.ts";
import { draftOf, type TransitionDraft } from "./transition-draft.ts";

/** Where the files are still as the turn left them, its state is the directory's head then. The caller holds the directory. */
export async function recordTransition(workspace: Workspace, transition: Transition): Promise<Transition> {
  const held = draftOf(transition);
  if (!held) return transition;
  await checkHeld(workspace, held);
  // As for every recorded turn, no secret of this process is written down.
  const secrets = createSecretRedactor([process.env]);
  const [earlier, segment] = [redactSegment(held.earlier, secrets), redactSegment(held.segment, secrets)];
  const draft = { ...held, file: secrets.value(held.file), earlier };
  const tip = (await workspace.states.tip(draft.file.conversationId)) ?? null;
  const before = await stateBefore(workspace, draft, tip);
  const file = { ...draft.file, turn: before.turns + 1 };
  const { after: snapshot, settings, sessionId = before.sessionId } = draft;
  const turn = { file, segment };
  const recorded = await recordTurnState(workspace, { before, tip, snapshot, settings, sessionId, turn });
  if ((await workspace.snapshot()).id === recorded.state.filesId) await setHead(workspace, recorded);
  return recorded.transition;
}

/** The conversation's tip, where it goes on from there; else a start, with what its session held before. */
async function stateBefore(workspace: Workspace, draft: TransitionDraft, tip: string | null): Promise<State> {
  const { before: snapshot, earlier, settings } = draft;
  if (tip !== null) return await presentState(workspace, await readStateFile(workspace.states, tip), snapshot);
  const goesOn = earlier.main.length + earlier.subagents.size > 0;
  const session = goesOn ? { earlier, sessionId: draft.sessionId } : {};
  return await recordStart(workspace, { conversationId: draft.file.conversationId, snapshot, settings, ...session });
}

async function checkHeld({ states, path }: Workspace, { before, after }: TransitionDraft): Promise<void> {
  const isHere = async ({ id }: EnvironmentSnapshot): Promise<boolean> => (await states.type(id)) === "tree";
  if ((await isHere(before)) && (await isHere(after))) return;
  throw new SkeinError(`The files around the turn are not in the store of ${path}`, {
    kind: "state_not_found",
    target: path,
    hint: "Record it in the workspace that took the snapshots; what skein gc removed can no longer be recorded",
  });
}

import { SkeinError } from "../../core/internal.ts";
import { createSecretRedactor } from "../../engine/internal.ts";
import type { EnvironmentSnapshot, Workspace } from "../../workspace/internal.ts";
import { RECORDING_MS, takeDirectory } from "../recovery/interrupted-turns.ts";
import { addNote } from "../record/note.ts";
import { presentState, recordStart } from "../record/record-state.ts";
import { redactSegment } from "../session/session-segments.ts";
import { readStateFile, type State } from "../record/state.ts";
import { TraceIndex } from "../state-index/trace-index.ts";
import type { Transition } from "../record/transition.ts";
import { recordTurnState, setHead } from "../turn/finish-turn.ts";
import { draftOf, type TransitionDraft } from "./transition-draft.ts";

/** Records turns that no conversation has recorded, and what was made of recorded ones. */
export class TransitionRecorder implements AsyncDisposable {
  /** What was recorded, to be found again. */
  readonly index: TraceIndex;

  private constructor(index: TraceIndex) {
    this.index = index;
  }

  static async open(workspace: Workspace): Promise<TransitionRecorder> {
    return new TransitionRecorder(await TraceIndex.open(workspace));
  }

  /**
   * Records a turn that was made by hand, or in a conversation without a record, and gives it as it is in the store. One that is recorded
   * already stays as it is. While a turn runs in the directory it is refused, unless the caller has claimed the directory and says so.
   */
  async record(
    transition: Transition,
    { isClaimed = false }: { readonly isClaimed?: boolean } = {},
  ): Promise<Transition> {
    const { workspace } = this.index;
    await using _ = isClaimed ? undefined : await takeDirectory(workspace, { waitMs: RECORDING_MS });
    return (await this.index.byId(transition.id)) ?? (await recordTransition(workspace, transition));
  }

  /** Gives a state rewards; a name that it had gets the new value. */
  async reward(name: string, rewards: Readonly<Record<string, number>>): Promise<void> {
    const { workspace } = this.index;
    await addNote(workspace, await workspace.states.resolve(name), { rewards });
  }

  async close(): Promise<void> {
    await this.index.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Where the files are still as the turn left them, its state is the directory's head then. The caller holds the directory. */
async function recordTransition(workspace: Workspace, transition: Transition): Promise<Transition> {
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

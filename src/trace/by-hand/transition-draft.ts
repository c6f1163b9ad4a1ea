import type { EnvironmentSnapshot } from "../../workspace/internal.ts";
import { joinSegments, type SessionSegment } from "../session/session-entry.ts";
import { transcriptOf } from "../session/session-segments.ts";
import type { Settings } from "../record/state.ts";
import type { TransitionFile } from "../record/transition-file.ts";
import { Transition, type TransitionPoint, type TransitionSource } from "../record/transition.ts";

/** A turn that is held in memory, with all that is needed to record it. */
export interface TransitionDraft {
  readonly file: TransitionFile;
  readonly before: EnvironmentSnapshot;
  readonly after: EnvironmentSnapshot;
  readonly snapshots: NonNullable<TransitionSource["snapshots"]>;
  readonly sessionId?: string | undefined;
  readonly earlier: SessionSegment;
  readonly segment: SessionSegment;
  readonly settings: Settings;
}

const DRAFTS = new WeakMap<Transition, TransitionDraft>();

export function holdTransition(draft: TransitionDraft): Transition {
  const { file, before, after, snapshots, earlier, segment, sessionId = "" } = draft;
  const points = { before: pointOf(before), after: pointOf(after, sessionId) };
  const transition = new Transition(file, points, {
    snapshots,
    leftOut: { before: [...before.leftOut], after: [...after.leftOut] },
    segment: async () => segment,
    session: async () => transcriptOf(sessionId, joinSegments(earlier, segment)),
  });
  DRAFTS.set(transition, draft);
  return transition;
}

export function draftOf(transition: Transition): TransitionDraft | undefined {
  return DRAFTS.get(transition);
}

function pointOf({ id, sessionId: own }: EnvironmentSnapshot, sessionId = own ?? ""): TransitionPoint {
  return { snapshotId: id, ...(sessionId === "" ? {} : { sessionId }) };
}

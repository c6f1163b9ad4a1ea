import type { EnvironmentSnapshot } from "../../workspace/index.ts";
import type { SessionSegment } from "../session/session-entry.ts";
import { transcriptOf } from "../session/session-segments.ts";
import type { Settings } from "../state.ts";
import type { TransitionFile } from "../transition-file.ts";
import { Transition, type TransitionPoint, type TransitionSource } from "../transition.ts";

/** A turn that is held in memory, with all that is needed to record it. */
export interface TransitionDraft {
  readonly file: TransitionFile;
  readonly before: EnvironmentSnapshot;
  readonly after: EnvironmentSnapshot;
  /** Where the files of both are told apart. */
  readonly snapshots: NonNullable<TransitionSource["snapshots"]>;
  /** The session to go on with after it; none where that is not known. */
  readonly sessionId?: string | undefined;
  /** What the session held before the turn. */
  readonly earlier: SessionSegment;
  /** What the turn added to it. */
  readonly segment: SessionSegment;
  readonly settings: Settings;
}

const DRAFTS = new WeakMap<Transition, TransitionDraft>();

/** Makes a transition that is not recorded; a recorder can record it. */
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

/** What a transition that is not recorded is made of; undefined for one that is. */
export function draftOf(transition: Transition): TransitionDraft | undefined {
  return DRAFTS.get(transition);
}

/** One segment after the other. */
export function joinSegments(first: SessionSegment, second: SessionSegment): SessionSegment {
  const subagents = new Map(first.subagents);
  for (const [path, entries] of second.subagents) subagents.set(path, [...(subagents.get(path) ?? []), ...entries]);
  return { main: [...first.main, ...second.main], subagents };
}

function pointOf({ id, sessionId: own }: EnvironmentSnapshot, sessionId = own ?? ""): TransitionPoint {
  return { snapshotId: id, ...(sessionId === "" ? {} : { sessionId }) };
}

import { defined, isoTime } from "../core/index.ts";
import type { EnvironmentSnapshot, Workspace } from "../workspace/index.ts";
import { EMPTY_SEGMENT, type SessionSegment } from "./session-entry.ts";
import { formatSegment } from "./session-segments.ts";
import { formatStateFile, toState, type Settings, type State, type StateFile } from "./state.ts";
import { formatTransitionFile, type TransitionFile } from "./transition-file.ts";

/** What a state takes of a snapshot. */
export type RecordedFiles = Pick<EnvironmentSnapshot, "id" | "leftOut" | "moved">;

/** A state that is to be recorded. */
export interface StateDraft {
  readonly kind: State["kind"];
  readonly conversationId: string;
  readonly snapshot: RecordedFiles;
  /** The state before. */
  readonly parent?: State | undefined;
  readonly settings: Settings;
  readonly sessionId?: string | undefined;
  /** Of a start: what was said elsewhere before, and is gone on with. It is the first segment, as if of one turn. */
  readonly earlier?: SessionSegment | undefined;
  /** The turn that led to it, and what it added to the session. */
  readonly turn?: { readonly file: TransitionFile; readonly segment: SessionSegment };
}

/** Writes a state. Nothing names it yet: it is recorded once the conversation's tip is moved to it. */
export async function recordState(workspace: Workspace, draft: StateDraft): Promise<State> {
  const { kind, conversationId, snapshot, parent, turn, earlier } = draft;
  const recordedAtMs = workspace.clock.now();
  const goesOn = kind === "start" ? undefined : parent;
  const file: Omit<StateFile, "version"> = {
    kind,
    conversationId,
    recordedAt: isoTime(recordedAtMs),
    turns: turn?.file.turn ?? goesOn?.turns ?? (earlier ? 1 : 0),
    ...defined({ sessionId: draft.sessionId }),
    settings: draft.settings,
    leftOut: [...snapshot.leftOut],
    moved: [...snapshot.moved],
  };
  const files = new Map([["state.json", formatStateFile(file)]]);
  if (turn) files.set("transition.json", formatTransitionFile(turn.file));
  const stored = await workspace.states.write({
    snapshotId: snapshot.id,
    parentId: parent?.id,
    files,
    session: turn ? formatSegment(turn.file.turn, turn.segment) : formatSegment(1, earlier ?? EMPTY_SEGMENT),
    sessionOf: goesOn?.id,
    message: `${subjectOf(draft)}\n\nKind: ${kind}\nConversation: ${conversationId}\n`,
    recordedAtMs,
  });
  return toState(stored, file);
}

/** What `git log` shows of it. */
function subjectOf({ kind, turn, earlier, sessionId = "" }: StateDraft): string {
  if (earlier) return `Start of a conversation from session ${sessionId.slice(0, 8)}`;
  if (kind === "start") return "Start of a conversation";
  if (kind === "edit") return "Files changed outside a turn";
  const [line = ""] = turn?.file.prompt.text.trim().split("\n", 1) ?? [];
  return line.length > 100 ? `${line.slice(0, 99)}…` : line || "(no text)";
}

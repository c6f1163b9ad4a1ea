import { createId, defined, isoTime, SkeinError } from "../../core/internal.ts";
import { isSameLeftOut } from "../../snapshot/index.ts";
import type { EnvironmentSnapshot, Workspace } from "../../workspace/internal.ts";
import { EMPTY_SEGMENT, type SessionSegment } from "../session/session-entry.ts";
import { formatSegment } from "../session/session-segments.ts";
import { readStateFile, toState, type Settings, type State, type StateFile } from "./state.ts";
import { formatFile } from "./stored-file.ts";
import type { TransitionFile } from "./transition-file.ts";

export type RecordedFiles = Pick<EnvironmentSnapshot, "id" | "leftOut" | "moved">;

export interface StateDraft {
  readonly kind: State["kind"];
  readonly conversationId: string;
  readonly snapshot: RecordedFiles;
  readonly parent?: State | undefined;
  readonly settings: Settings;
  readonly sessionId?: string | undefined;
  /** Of a start: what was said elsewhere before, and is gone on with. It is the first segment, as if of one turn. */
  readonly earlier?: SessionSegment | undefined;
  readonly turn?: { readonly file: TransitionFile; readonly segment: SessionSegment };
}

/** Writes a state. Nothing names it yet: it is recorded once the conversation's tip is moved to it. */
export async function recordState(workspace: Workspace, draft: StateDraft): Promise<State> {
  const { kind, conversationId, snapshot, parent, turn, earlier } = draft;
  const recordedAtMs = workspace.clock.now();
  const goesOn = kind === "start" ? undefined : parent;
  const file: StateFile = {
    kind,
    conversationId,
    recordedAt: isoTime(recordedAtMs),
    turns: turn?.file.turn ?? goesOn?.turns ?? (earlier ? 1 : 0),
    ...defined({ sessionId: draft.sessionId }),
    settings: draft.settings,
    leftOut: [...snapshot.leftOut],
    moved: [...snapshot.moved],
  };
  const files = new Map([["state.json", formatFile(file)]]);
  if (turn) files.set("transition.json", formatFile(turn.file));
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

function subjectOf({ kind, turn, earlier, sessionId = "" }: StateDraft): string {
  if (earlier) return `Start of a conversation from session ${sessionId.slice(0, 8)}`;
  if (kind === "start") return "Start of a conversation";
  if (kind === "edit") return "Files changed outside a turn";
  const [line = ""] = turn?.file.prompt.text.trim().split("\n", 1) ?? [];
  return line.length > 100 ? `${line.slice(0, 99)}…` : line || "(no text)";
}

export async function headState(workspace: Workspace): Promise<State | undefined> {
  const head = await workspace.states.head();
  return head && (await readStateFile(workspace.states, head.stateId));
}

/** Writes the state that a conversation begins with, after the directory's head. */
export async function recordStart(
  workspace: Workspace,
  draft: Omit<StateDraft, "kind" | "parent" | "turn">,
): Promise<State> {
  return await recordState(workspace, { ...draft, kind: "start", parent: await headState(workspace) });
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

/** The given state where its files are there, else a new one on top of it, which nothing names yet. */
export async function presentState(workspace: Workspace, base: State, snapshot: RecordedFiles): Promise<State> {
  if (isAt(base, snapshot)) return base;
  const { conversationId, settings, sessionId } = base;
  return await recordState(workspace, { kind: "edit", conversationId, snapshot, parent: base, settings, sessionId });
}

/** What no state holds counts too: a turn must not be blamed for what became of it before. */
function isAt(base: State, snapshot: RecordedFiles): boolean {
  return snapshot.id === base.filesId && isSameLeftOut(base.leftOut, snapshot.leftOut);
}

/** A conversation that the head follows goes on with it; else one begins with it, so that something names it. The caller holds the directory. */
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

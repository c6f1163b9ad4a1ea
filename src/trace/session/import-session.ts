import { basename, join, resolve } from "node:path";
import { createId, projectFolderName, SkeinError } from "../../core/index.ts";
import type { SecretRedactor } from "../../engine/index.ts";
import { STATE_LIMITS } from "../../git/index.ts";
import {
  findSessions,
  load,
  type SessionFile,
  type Transcript,
  type TranscriptProblem,
} from "../../transcript/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { takeDirectory } from "../interrupted-turns.ts";
import { recordStart } from "../record-state.ts";
import type { Settings, State } from "../state.ts";
import type { SessionSegment } from "./session-entry.ts";
import { redactSegment, toSegment } from "./session-segments.ts";

interface ImportParts {
  readonly settings: Settings;
  readonly secrets: SecretRedactor;
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
  const snapshot = await workspace.snapshot();
  const earlier = redactSegment(segment, secrets);
  const state = await recordStart(workspace, { conversationId, snapshot, settings, sessionId, earlier });
  await states.moveTip(conversationId, { from: undefined, to: state.id });
  await states.setHead({ stateId: state.id, conversationId });
  return state;
}

/** A session of Claude Code's own: by its id or the beginning of one, in whatever project it lies; or by its file. */
export type ForeignSession = string | NamedSession | { readonly file: string };

export interface NamedSession {
  readonly session: string;
  /** Claude Code's own folder; `CLAUDE_CONFIG_DIR` or `~/.claude` by default. */
  readonly claudeHome?: string | undefined;
}

/** Finds the transcript. A session that lies in several projects is the one in the project of the given directory. */
async function findForeignSession(wanted: ForeignSession, directory: string): Promise<string> {
  if (typeof wanted === "object" && "file" in wanted) return resolve(wanted.file);
  const { session: id, claudeHome } = typeof wanted === "string" ? { session: wanted, claudeHome: undefined } : wanted;
  const { sessions } = await findSessions(claudeHome === undefined ? {} : { base: join(claudeHome, "projects") });
  const fitting = sessions.filter(({ sessionId, isSubagent }) => !isSubagent && sessionId.startsWith(id));
  const exact = fitting.filter(({ sessionId }) => sessionId === id);
  const [found, ...others] = exact.length > 0 ? inProject(exact, directory) : id === "" ? [] : fitting;
  if (!found) throw notFound(id);
  if (others.length > 0) throw exact.length > 0 ? inSeveralPlaces(id, [found, ...others]) : ambiguous(id, fitting);
  return found.path;
}

function inProject(files: readonly SessionFile[], directory: string): readonly SessionFile[] {
  const own = files.filter(({ folder }) => basename(folder) === projectFolderName(directory));
  return own.length > 0 ? own : files;
}

function notFound(id: string): SkeinError {
  return new SkeinError(`Claude Code has no session ${id}`, {
    kind: "session_not_found",
    target: id,
    hint: "skein sessions lists them; name a transcript elsewhere by its file",
  });
}

function ambiguous(id: string, found: readonly SessionFile[]): SkeinError {
  const named = found.slice(0, NAMED).map(({ sessionId }) => sessionId);
  return new SkeinError(`Several Claude Code session ids start with ${id}`, {
    kind: "usage",
    target: id,
    hint: `Give more of the id: ${named.join(", ")}${found.length > NAMED ? " …" : ""}`,
  });
}

function inSeveralPlaces(id: string, found: readonly SessionFile[]): SkeinError {
  const paths = found.slice(0, NAMED).map(({ path }) => path);
  return new SkeinError(`Session ${id} is in several projects`, {
    kind: "usage",
    target: id,
    hint: `Name the file you mean: ${paths.join(", ")}`,
  });
}

const NAMED = 5;

interface SaidElsewhere {
  readonly sessionId: string;
  readonly segment: SessionSegment;
}

/**
 * Reads a transcript with its sub-agents, to go on with it. Half a line at its end is of a CLI that is writing it now, and is left out; where
 * other lines are damaged it is refused: the model would not be told what they said.
 */
async function readForeignSession(path: string, signal?: AbortSignal): Promise<SaidElsewhere> {
  const transcript = await load(path, signal ? { signal } : {});
  const damaged = [transcript, ...transcript.subagents].flatMap(({ problems }) => problems).find(isDamage);
  if (damaged) throw corrupted(damaged);
  const [unread] = transcript.skipped;
  if (unread) throw loadFailed(`${unread.path} cannot be read: ${unread.message}`, unread.path);
  if (!transcript.messages.some(({ role }) => role === "user")) throw nothingSaid(path);
  // The CLI finds no conversation in a file that has nothing but a sub-agent's.
  if (transcript.messages.every(({ isSidechain }) => isSidechain)) throw onlySubagent(path);
  if (transcript.sizeBytes > STATE_LIMITS.partBytes) {
    throw loadFailed(`${path} has ${transcript.sizeBytes} bytes, and a state holds ${STATE_LIMITS.partBytes}`, path);
  }
  return { sessionId: idOf(transcript), segment: toSegment(transcript) };
}

/** A record of a known type with odd fields is a record all the same. */
function isDamage({ kind }: TranscriptProblem): boolean {
  return kind !== "shape";
}

/** The CLI takes up nothing else; lines are served under whatever id it asks for. */
function idOf({ sessionId }: Transcript): string {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(sessionId) ? sessionId : createId();
}

function corrupted({ path, line, message }: TranscriptProblem): SkeinError {
  return new SkeinError(`Line ${line} of ${path} cannot be read: ${message}`, {
    kind: "session_corrupted",
    target: path,
    hint: "Remove the line from a copy of the file, and name that file; skein session shows what can be read of the rest",
  });
}

function nothingSaid(path: string): SkeinError {
  return new SkeinError(`${path} holds no conversation`, {
    kind: "session_corrupted",
    target: path,
    hint: "skein sessions lists those that hold one",
  });
}

function onlySubagent(path: string): SkeinError {
  return new SkeinError(`${path} is the transcript of a sub-agent`, {
    kind: "session_corrupted",
    target: path,
    hint: "Name the session that started it, whose own transcript has the conversation",
  });
}

function loadFailed(message: string, target: string): SkeinError {
  const hint = "Continue without a record: skein run --resume, or resume in the options of an engine";
  return new SkeinError(message, { kind: "session_load_failed", target, hint });
}

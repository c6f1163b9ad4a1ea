import { basename, join, resolve } from "node:path";
import { createId, projectFolderName, SkeinError } from "../../core/internal.ts";
import type { SecretRedactor } from "../../engine/internal.ts";
import { STATE_LIMITS } from "../../git/index.ts";
import { findSessions, load, type SessionFile, type Transcript } from "../../transcript/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { takeDirectory } from "../recovery/interrupted-turns.ts";
import { recordStart } from "../record/record-state.ts";
import type { Settings, State } from "../record/state.ts";
import type { SessionSegment } from "./session-entry.ts";
import { redactSegment, toSegment } from "./session-segments.ts";

/**
 * Records the beginning of a conversation that goes on with a session of Claude Code's own: the files as they are, and all that was said. What
 * files there were at its earlier turns nobody knows, so that these are no turns of the record. The session's own files are only read.
 */
export async function importSession(
  workspace: Workspace,
  wanted: ForeignSession,
  how: { readonly settings: Settings; readonly secrets: SecretRedactor; readonly isClaimed: boolean | undefined },
): Promise<State> {
  const path = await findForeignSession(wanted, workspace.path);
  const { sessionId, segment } = await readForeignSession(path);
  const { states, clock } = workspace;
  await using _ = how.isClaimed ? undefined : await takeDirectory(workspace);
  const conversationId = createId(clock);
  const snapshot = await workspace.snapshot();
  const earlier = redactSegment(segment, how.secrets);
  const draft = { conversationId, snapshot, settings: how.settings, sessionId, earlier };
  const state = await recordStart(workspace, draft);
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
  if (!found) {
    const hint = "skein sessions lists them; name a transcript elsewhere by its file";
    throw new SkeinError(`Claude Code has no session ${id}`, { kind: "session_not_found", target: id, hint });
  }
  if (others.length > 0) throw exact.length > 0 ? inSeveralPlaces(id, [found, ...others]) : ambiguous(id, fitting);
  return found.path;
}

function inProject(files: readonly SessionFile[], directory: string): readonly SessionFile[] {
  const own = files.filter(({ folder }) => basename(folder) === projectFolderName(directory));
  return own.length > 0 ? own : files;
}

function ambiguous(id: string, found: readonly SessionFile[]): SkeinError {
  const named = found.slice(0, NAMED).map(({ sessionId }) => sessionId);
  const hint = `Give more of the id: ${named.join(", ")}${found.length > NAMED ? " …" : ""}`;
  return new SkeinError(`Several Claude Code session ids start with ${id}`, { kind: "usage", target: id, hint });
}

function inSeveralPlaces(id: string, found: readonly SessionFile[]): SkeinError {
  const paths = found.slice(0, NAMED).map(({ path }) => path);
  const hint = `Name the file you mean: ${paths.join(", ")}`;
  return new SkeinError(`Session ${id} is in several projects`, { kind: "usage", target: id, hint });
}

const NAMED = 5;

/** Half a line at the end is of a CLI that is writing now, and left out; other damage is refused: the model would not be told what was said. */
async function readForeignSession(path: string): Promise<{ sessionId: string; segment: SessionSegment }> {
  const transcript = await load(path);
  const problems = [transcript, ...transcript.subagents].flatMap((each) => each.problems);
  // A record of a known type with odd fields is a record all the same.
  const damaged = problems.find(({ kind }) => kind !== "shape");
  if (damaged) {
    const hint =
      "Remove the line from a copy of the file, and name that file; skein session shows what can be read of the rest";
    throw corrupted(`Line ${damaged.line} of ${damaged.path} cannot be read: ${damaged.message}`, damaged.path, hint);
  }
  const [unread] = transcript.skipped;
  if (unread) throw loadFailed(`${unread.path} cannot be read: ${unread.message}`, unread.path);
  if (!transcript.messages.some(({ role }) => role === "user")) {
    throw corrupted(`${path} holds no conversation`, path, "skein sessions lists those that hold one");
  }
  // The CLI finds no conversation in a file that has nothing but a sub-agent's.
  if (transcript.messages.every(({ isSidechain }) => isSidechain)) {
    const hint = "Name the session that started it, whose own transcript has the conversation";
    throw corrupted(`${path} is the transcript of a sub-agent`, path, hint);
  }
  if (transcript.sizeBytes > STATE_LIMITS.partBytes) {
    throw loadFailed(`${path} has ${transcript.sizeBytes} bytes, and a state holds ${STATE_LIMITS.partBytes}`, path);
  }
  return { sessionId: idOf(transcript), segment: toSegment(transcript) };
}

/** The CLI takes up nothing else; lines are served under whatever id it asks for. */
function idOf({ sessionId }: Transcript): string {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(sessionId) ? sessionId : createId();
}

function corrupted(message: string, target: string, hint: string): SkeinError {
  return new SkeinError(message, { kind: "session_corrupted", target, hint });
}

function loadFailed(message: string, target: string): SkeinError {
  const hint = "Continue without a record: skein run --resume, or resume in the options of an engine";
  return new SkeinError(message, { kind: "session_load_failed", target, hint });
}

import { createId, SkeinError } from "../../core/index.ts";
import { load, type Transcript, type TranscriptProblem } from "../../transcript/index.ts";
import { STATE_LIMITS } from "../../git/index.ts";
import type { SessionSegment } from "../session-entry.ts";
import { toSegment } from "./to-segment.ts";

/** A session that was said outside of any record. */
export interface SaidElsewhere {
  readonly sessionId: string;
  readonly segment: SessionSegment;
}

/**
 * Reads a transcript with its sub-agents, to go on with it. Half a line at its end is of a CLI that is writing it now, and is left out; where
 * other lines are damaged it is refused: the model would not be told what they said.
 */
export async function readForeignSession(path: string, signal?: AbortSignal): Promise<SaidElsewhere> {
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

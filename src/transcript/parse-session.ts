import { toSubagentFile } from "./discover/subagent-files.ts";
import { parseRecords, type LoadedFile } from "./load-records.ts";
import { buildTranscript, nameSession } from "./model/build-transcript.ts";
import type { Transcript } from "./model/transcript.ts";

/** A part of a session's lines, and what the part is called in places and problems. */
export interface SessionPiece {
  readonly path: string;
  readonly bytes: Buffer;
}

/** A session whose lines lie in pieces in memory. */
export interface SessionPieces {
  /** What it is called as a whole. */
  readonly path: string;
  /** The session that it should be; taken where the lines name it. */
  readonly sessionId: string;
  readonly main: readonly SessionPiece[];
  /** The pieces of each sub-agent, by the path that its file has in the session. */
  readonly subagents: ReadonlyMap<string, readonly SessionPiece[]>;
}

/** Reads a session that does not lie in a transcript of its own, as `load` reads one that does. */
export function parseSession({ path, sessionId, main, subagents }: SessionPieces): Transcript {
  const file = joinPieces(main);
  return buildTranscript({
    path,
    sessionId: nameSession(file, sessionId),
    file,
    subagentFiles: Array.from(subagents, ([name, pieces]) => toSubagentFile(name, joinPieces(pieces))),
    skipped: [],
  });
}

function joinPieces(pieces: readonly SessionPiece[]): LoadedFile {
  const files = pieces.map(({ path, bytes }) => parseRecords(path, bytes));
  return {
    records: files.flatMap(({ records }) => records),
    problems: files.flatMap(({ problems }) => problems),
    endsInHalfALine: files.at(-1)?.endsInHalfALine ?? false,
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

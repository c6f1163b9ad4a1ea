import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { parseJson } from "../../core/internal.ts";
import { AGENT_FILE, listAgentFiles, listFolder } from "../discover/find-sessions.ts";
import { buildTranscript, nameSession, type LoadedFile } from "../model/build-transcript.ts";
import type { SubagentFile } from "../model/subagents.ts";
import { recordsOf, type Transcript } from "../model/transcript.ts";
import { isUnreadable, throwIfCancelled, toSkipped, type SkippedPath, type TranscriptProblem } from "../problem.ts";
import { isObject, type Fields } from "../records/content.ts";
import { fieldOf } from "../records/transcript-record.ts";
import { scanFile } from "../scan/scan-file.ts";
import { entriesOf, type TranscriptEntry } from "./parse-transcript.ts";
import { LINE_FEED, linesIn, readBlocks, type FileLine, type LineBlock } from "./read-lines.ts";

/** How a transcript is loaded. */
export interface LoadOptions {
  /** Whether the files of its sub-agents are read too; they are unless this is false. */
  readonly subagents?: boolean;
  readonly signal?: AbortSignal;
}

/** Reads a whole transcript with its sub-agents. What is wrong in it is listed in `problems`, and the rest is there. */
export async function load(path: string, options: LoadOptions = {}): Promise<Transcript> {
  const file = await loadRecords(path, options.signal);
  const sessionId = nameSession(file, basename(path, ".jsonl"));
  const paths = options.subagents === false ? [] : await findSubagentFiles(path, sessionId);
  const subagentFiles: SubagentFile[] = [];
  const skipped: SkippedPath[] = [];
  for (const found of paths) {
    try {
      const own = await loadRecords(found, options.signal);
      subagentFiles.push(toSubagentFile(found, own, await readMeta(found.replace(/\.jsonl$/u, ".meta.json"))));
    } catch (error) {
      // One that was deleted since it was found, or may not be read, leaves the others as they are.
      if (!isUnreadable(error)) throw error;
      skipped.push(toSkipped(found, error));
    }
  }
  return buildTranscript({ ...file, path, sessionId, skipped }, subagentFiles);
}

/** A part of a session's lines, and what the part is called in places and problems. */
export interface SessionPiece {
  readonly path: string;
  readonly bytes: Buffer;
}

interface SessionPieces {
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
  const subagentFiles = Array.from(subagents, ([name, pieces]) => toSubagentFile(name, joinPieces(pieces)));
  return buildTranscript({ ...file, path, sessionId: nameSession(file, sessionId), skipped: [] }, subagentFiles);
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

async function loadRecords(path: string, signal?: AbortSignal): Promise<LoadedFile> {
  const file = createFile(path);
  for (const block of readBlocks(path)) {
    file.take(block);
    await nextTick();
    throwIfCancelled(signal, "Loading");
  }
  return file.taken();
}

function parseRecords(path: string, bytes: Buffer): LoadedFile {
  const file = createFile(path);
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  file.take({ bytes, end, offset: 0, rest: bytes.subarray(end) });
  return file.taken();
}

function createFile(path: string): { take(block: LineBlock): void; taken(): LoadedFile } {
  const records: Transcript["records"][number][] = [];
  const problems: TranscriptProblem[] = [];
  let [number, sizeBytes, endsInHalfALine] = [0, 0, false];
  return {
    take(block) {
      for (const line of linesIn(block)) {
        const entries = entriesOf(line, path, (number += 1));
        for (const entry of entries) {
          if (entry.type === "record") records.push(entry);
          else problems.push(entry.problem);
        }
        sizeBytes = line.offset + line.lengthBytes + (line.isEnded ? 1 : 0);
        endsInHalfALine = !line.isEnded && hasHalf(line, entries);
      }
    },
    taken: () => ({ records, problems, endsInHalfALine, sizeBytes }),
  };
}

/** Whether more than blanks comes after the last record of a line without an end. */
function hasHalf({ bytes, end, offset, isTooLong }: FileLine, entries: readonly TranscriptEntry[]): boolean {
  const last = entries.findLast((entry) => entry.type === "record")?.place;
  const from = last === undefined ? 0 : last.offset + last.lengthBytes - offset;
  return isTooLong || bytes.toString("latin1", from, end).trim() !== "";
}

/** Finds the files of a session's sub-agents: in `<session>/subagents/`, and beside it, where 2.0 wrote them. */
async function findSubagentFiles(path: string, sessionId: string): Promise<readonly string[]> {
  const folder = dirname(path);
  if (AGENT_FILE.test(basename(path))) return [];
  const below = await listAgentFiles(join(folder, basename(path, ".jsonl"), "subagents"));
  const beside = (await listFolder(folder))
    .filter((entry) => AGENT_FILE.test(entry.name))
    .map((entry) => join(folder, entry.name))
    .filter((file) => sessionOf(file) === sessionId);
  return [...below, ...beside].toSorted();
}

/** A sub-agent's file of its records; its name tells the sub-agent's id where no record does. */
function toSubagentFile(path: string, file: LoadedFile, meta: Fields = {}): SubagentFile {
  const records = recordsOf(file);
  const stated = records.map((record) => fieldOf(record, "agentId")).find(Boolean);
  const agentId = stated ?? AGENT_FILE.exec(basename(path))?.[1] ?? basename(path);
  return { path, agentId, meta, records, problems: file.problems };
}

/** What the file beside a sub-agent's says. Older versions wrote none, and a running one may be writing it now: the call is then found by other signs. */
async function readMeta(path: string): Promise<Fields> {
  const meta = parseJson(await readFile(path, "utf8").catch(() => ""));
  return isObject(meta) ? meta : {};
}

/** The session that the first record naming one belongs to. */
function sessionOf(path: string): string | undefined {
  try {
    for (const record of scanFile(path, { blockBytes: 64 * 1024 })) {
      if (record.type === "record" && record.sessionId !== undefined) return record.sessionId;
    }
  } catch {
    // It was deleted since the folder was listed, or is not ours to read: it is no sub-agent that could be shown.
  }
  return undefined;
}

import { basename } from "node:path";
import { systemClock, type Clock } from "../core/index.ts";
import { findSessions } from "./discover/find-sessions.ts";
import { scanFile, type ScannedRecord } from "./scan-file.ts";

/** What is watched. */
export interface WatchOptions {
  /** The folder of the projects' folders; Claude Code's own unless said. */
  readonly base?: string;
  /** A project's real path, or the last part of it. */
  readonly project?: string;
  /** Ends the watching; the iteration then ends without an error. */
  readonly signal?: AbortSignal;
  /** How often the folders are looked at. */
  readonly pollMs?: number;
  readonly clock?: Clock;
}

/** Something that was said or done in a session just now. */
export interface WatchedRecord {
  readonly path: string;
  readonly sessionId: string;
  readonly project: string | undefined;
  readonly role: "user" | "assistant";
  readonly text: string;
  /** The tools that it calls. */
  readonly tools: readonly string[];
  readonly at: string | undefined;
}

/**
 * Follows all sessions at once: gives what is said in any of them from now on. Files are found by looking, not by watchers,
 * of which a machine has too few for a long history; one that was cut or replaced is followed from its new end.
 */
export async function* watchTranscripts(options: WatchOptions = {}): AsyncGenerator<WatchedRecord, void, void> {
  const { signal, pollMs = 500, clock = systemClock } = options;
  const ends = new Map(await listFiles(options));
  while (!isAborted(signal)) {
    for (const [path, sizeBytes] of await listFiles(options)) {
      const from = ends.get(path) ?? 0;
      if (sizeBytes > from) yield* readOn(path, from, { ends, project: options.project });
      else ends.set(path, sizeBytes);
    }
    await clock.sleep(pollMs, signal).catch(() => undefined);
  }
}

/** Asked anew each time: it changes while the loop waits. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

/** The sessions' own transcripts with their sizes. */
async function listFiles({ base }: WatchOptions): Promise<readonly (readonly [path: string, sizeBytes: number])[]> {
  const { sessions } = await findSessions(base === undefined ? {} : { base });
  return sessions.map(({ path, sizeBytes }) => [path, sizeBytes] as const);
}

interface Reading {
  readonly ends: Map<string, number>;
  readonly project: string | undefined;
}

function* readOn(path: string, from: number, { ends, project }: Reading): Generator<WatchedRecord, void> {
  const records = scanFile(path, { fromOffset: from });
  for (;;) {
    const next = records.next();
    if (next.done === true) {
      ends.set(path, next.value);
      return;
    }
    const said = next.value.type === "record" ? toWatched(path, next.value) : undefined;
    if (said && isOf(said, project)) yield said;
  }
}

function toWatched(path: string, record: ScannedRecord): WatchedRecord | undefined {
  const { recordType, sessionId = "", cwd, text, toolUses, timestamp } = record;
  if (recordType !== "user" && recordType !== "assistant") return undefined;
  const tools = toolUses.map(({ name }) => name);
  if (text.trim() === "" && tools.length === 0) return undefined;
  return { path, sessionId, project: cwd, role: recordType, text, tools, at: timestamp };
}

function isOf({ project = "" }: WatchedRecord, wanted: string | undefined): boolean {
  return wanted === undefined || project === wanted || basename(project) === wanted;
}

import { basename } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { type Clock, systemClock } from "../../core/internal.ts";
import { transcriptsHome } from "../discover/find-sessions.ts";
import { isAborted, type SkippedPath, toSkipped } from "../problem.ts";
import { scanLine, type ScannedDamage, type ScannedRecord } from "../scan/scan-file.ts";
import type { UsageLine } from "../usage/usage-line.ts";
import { createWatchedFiles, type WatchedFile } from "./watched-files.ts";

/** What is watched. */
export interface WatchOptions {
  /** The folder of the projects' folders; Claude Code's own unless said. */
  readonly base?: string;
  /** A project's real path, or the last part of it. */
  readonly project?: string;
  /** Ends the watching; the iteration then ends without an error. */
  readonly signal?: AbortSignal;
  /** How often the files are looked at. */
  readonly pollMs?: number;
  readonly clock?: Clock;
}

/** Something that was said or done in a session just now. */
export interface WatchedRecord {
  readonly type: "record";
  readonly path: string;
  readonly sessionId: string;
  readonly agentId: string | undefined;
  readonly project: string | undefined;
  readonly role: "user" | "assistant";
  /** May be empty, where a record has only tools, thinking or counts. */
  readonly text: string;
  readonly tools: readonly string[];
  /** The files that its tool calls name, each once. */
  readonly files: readonly string[];
  readonly at: string | undefined;
  /** What it states of the usage of its response: `createUsageCounter` adds these up. */
  readonly usage: UsageLine | undefined;
}

/** What watching gives: what is said, and what could not be read, each file once until it can be. */
export type WatchEvent =
  | WatchedRecord
  | { readonly type: "skipped"; readonly skipped: SkippedPath }
  | (ScannedDamage & { readonly path: string });

/**
 * Follows all sessions and their sub-agents at once: gives what is said in any of them from now on. A file that was cut,
 * replaced or made anew is read from its start.
 */
export async function* watchTranscripts(options: WatchOptions = {}): AsyncGenerator<WatchEvent, void, void> {
  const { signal, pollMs = 500, clock = systemClock, base = transcriptsHome() } = options;
  const files = createWatchedFiles(base);
  const closed = new Set<string>();
  try {
    for (let isFirst = true; !isAborted(signal); isFirst = false) {
      for (const skipped of await files.find(clock.now())) yield { type: "skipped", skipped };
      for (const [index, file] of files.due(clock.now(), isFirst).entries()) {
        if (index % 500 === 499) await nextTick();
        for (const event of readFile(file, closed)) {
          files.heat(file, clock.now());
          if (event.type !== "record" || isOf(event, options.project)) yield event;
        }
      }
      await clock.sleep(pollMs, signal).catch(() => undefined);
    }
  } finally {
    files.close();
  }
}

function* readFile(file: WatchedFile, closed: Set<string>): Generator<WatchEvent, void> {
  const { path, follower } = file;
  try {
    const { hasMore } = follower.look();
    if (hasMore && file.isOld) follower.skipToEnd();
    else if (hasMore)
      for (const line of follower.readOn()) for (const found of scanLine(line)) yield* toEvents(path, found);
    file.isOld = false;
    closed.delete(path);
  } catch (error) {
    if (!closed.has(path)) yield { type: "skipped", skipped: toSkipped(path, error) };
    closed.add(path);
  }
}

function* toEvents(path: string, found: ScannedRecord | ScannedDamage): Generator<WatchEvent, void> {
  if (found.type === "broken") return yield { ...found, path };
  const { recordType, sessionId = "", agentId, cwd, text, toolUses, timestamp, usage } = found;
  if (recordType !== "user" && recordType !== "assistant") return;
  const tools = toolUses.map(({ name }) => name);
  if (text.trim() === "" && tools.length === 0 && usage === undefined) return;
  const files = [...new Set(toolUses.flatMap((use) => use.path ?? []))];
  const said = {
    sessionId,
    agentId,
    project: cwd,
    role: recordType,
    text,
    tools,
    files,
    at: timestamp,
    usage,
  } as const;
  yield { type: "record", path, ...said };
}

function isOf({ project = "" }: WatchedRecord, wanted: string | undefined): boolean {
  return wanted === undefined || project === wanted || basename(project) === wanted;
}

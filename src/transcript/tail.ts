import { watch } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { systemClock, type Clock } from "../core/index.ts";
import { parseLine, type TranscriptEntry } from "./parse-line.ts";
import { readBlocks } from "./scan/read-blocks.ts";
import { unreadable } from "./unreadable.ts";

/** How a file is followed. */
export interface TailOptions {
  /** Ends the following; the iteration then ends without an error. */
  readonly signal?: AbortSignal;
  /** Begin at the end instead of the start: only what is written from now on. */
  readonly fromEnd?: boolean;
  /** How often the file is looked at where no watcher tells of changes, as on network file systems. */
  readonly pollMs?: number;
  readonly clock?: Clock;
}

/** What following gives: records and problems as they come, and a note where the file began anew. */
export type TailEntry =
  | TranscriptEntry
  | { readonly type: "restart"; readonly reason: "truncated" | "replaced" | "deleted" };

interface Position {
  offset: number;
  line: number;
  identity: string | undefined;
  /** The bytes before the offset: where they have changed, the file was written anew. */
  before: Buffer;
}

/** Enough to hold parts of an id, which no two records share. */
const REMEMBERED_BYTES = 256;

/**
 * Follows a transcript that is being written: all that is there, then each record as soon as its line is complete. A file
 * that is not there yet is waited for; one that was cut or replaced is read again from its start.
 */
export async function* tail(path: string, options: TailOptions = {}): AsyncGenerator<TailEntry, void, void> {
  const { signal, clock = systemClock, pollMs = 1_000 } = options;
  const position: Position = { offset: 0, line: 1, identity: undefined, before: Buffer.alloc(0) };
  let skipsOld = options.fromEnd ?? false;
  const changes = watchFor(path, { signal, clock, pollMs });
  try {
    while (!isAborted(signal)) {
      const news = await look(path, position);
      if (news.restart !== undefined) yield { type: "restart", reason: news.restart };
      if (news.hasMore) {
        for (const entry of readOn(path, position)) if (!skipsOld) yield entry;
      }
      skipsOld = false;
      await changes.next();
    }
  } finally {
    changes.close();
  }
}

/** Asked anew each time: it changes while the loop waits. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

type Reason = "truncated" | "replaced" | "deleted";

/** Looks whether the file has grown, and whether it is still the same. */
async function look(path: string, position: Position): Promise<{ hasMore: boolean; restart: Reason | undefined }> {
  const stats = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw unreadable(path, error);
  });
  const before = position.identity;
  const identity = stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
  const isNew = before !== undefined && before !== identity;
  const isCut = !isNew && stats !== undefined && (stats.size < position.offset || !(await isAsBefore(path, position)));
  if (isNew || isCut) [position.offset, position.line, position.before] = [0, 1, Buffer.alloc(0)];
  position.identity = identity;
  const reason: Reason = isCut ? "truncated" : identity === undefined ? "deleted" : "replaced";
  return { hasMore: (stats?.size ?? 0) > position.offset, restart: isNew || isCut ? reason : undefined };
}

async function isAsBefore(path: string, { offset, before }: Position): Promise<boolean> {
  if (before.length === 0) return true;
  const file = await open(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    const bytes = Buffer.alloc(before.length);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset - before.length);
    return bytesRead === bytes.length && bytes.equals(before);
  } finally {
    await file.close();
  }
}

/** The complete lines from the position on. Half a line stays until its end is written. */
function* readOn(path: string, position: Position): Generator<TranscriptEntry> {
  for (const { bytes, end, offset } of readBlocks(path, { fromOffset: position.offset, blockBytes: 64 * 1024 })) {
    for (let start = 0; start < end;) {
      const lineEnd = bytes.indexOf(0x0a, start);
      yield* parseLine(bytes.subarray(start, lineEnd), { path, line: position.line, offset: offset + start });
      const passed = bytes.subarray(Math.max(0, lineEnd + 1 - REMEMBERED_BYTES), lineEnd + 1);
      position.before = Buffer.from(passed);
      start = lineEnd + 1;
      position.offset = offset + start;
      position.line += 1;
    }
  }
}

interface Changes {
  /** Resolves when the file may have changed, or when it is time to look, or on abort. */
  next(): Promise<void>;
  close(): void;
}

/** The folder is watched, not the file: a file that is replaced or not there yet cannot be. */
function watchFor(
  path: string,
  { signal, clock, pollMs }: { signal: AbortSignal | undefined; clock: Clock; pollMs: number },
): Changes {
  let hasChanged = false;
  let wake = (): void => {};
  const onChange = (): void => {
    hasChanged = true;
    wake();
  };
  const watcher = startWatcher(path, onChange);
  signal?.addEventListener("abort", onChange);
  return {
    async next() {
      const looking = new AbortController();
      const changed = new Promise<void>((resolve) => (wake = resolve));
      if (!hasChanged) await Promise.race([changed, clock.sleep(pollMs, looking.signal).catch(() => undefined)]);
      looking.abort();
      hasChanged = false;
    },
    close() {
      watcher?.close();
      signal?.removeEventListener("abort", onChange);
    },
  };
}

/** Without a watcher, where the system has none left or the folder is not there yet, polling alone must do. */
function startWatcher(path: string, onChange: () => void): ReturnType<typeof watch> | undefined {
  try {
    const watcher = watch(dirname(path), (_event, name) => {
      if (name === null || name === basename(path)) onChange();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

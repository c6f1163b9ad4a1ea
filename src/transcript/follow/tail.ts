import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import { type Clock, systemClock } from "../../core/internal.ts";
import { isAborted } from "../problem.ts";
import { entriesOf, type TranscriptEntry } from "../read/parse-transcript.ts";
import { createFollower, type RestartReason } from "./follow-file.ts";

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
export type TailEntry = TranscriptEntry | { readonly type: "restart"; readonly reason: RestartReason };

/**
 * Follows a transcript that is being written: all that is there, then each record as soon as it is complete. A file
 * that is not there yet is waited for; one that was cut or replaced is read again from its start.
 */
export async function* tail(path: string, options: TailOptions = {}): AsyncGenerator<TailEntry, void, void> {
  const { signal, clock = systemClock, pollMs = 1_000 } = options;
  const file = createFollower(path);
  let skipsOld = options.fromEnd ?? false;
  const changes = watchFor(path, signal, clock, pollMs);
  try {
    while (!isAborted(signal)) {
      const { restart, hasMore } = file.look();
      if (restart !== undefined) yield { type: "restart", reason: restart };
      if (hasMore && skipsOld) file.passOver();
      else if (hasMore) for (const line of file.readOn()) yield* entriesOf(line, path, line.number);
      skipsOld = false;
      await changes.next();
    }
  } finally {
    changes.close();
  }
}

/** The folder is watched, not the file: a file that is replaced or not there yet cannot be. */
function watchFor(path: string, signal: AbortSignal | undefined, clock: Clock, pollMs: number) {
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

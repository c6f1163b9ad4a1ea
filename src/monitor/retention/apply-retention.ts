import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  dataHome,
  eventFolder,
  goingRuns,
  isoTime,
  MOST_RUNS,
  oldJournals,
  retentionPath,
  systemClock,
  type Clock,
} from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { writeDurably } from "../../git/index.ts";
import { oldCopies } from "../../transcript/internal.ts";
import { findStores } from "../../workspace/internal.ts";

/** How long what is no record is kept in the data folder; what is not said is kept as long as there is no other reason to remove it. */
export interface RetentionSettings {
  /** Event journals without an event for so many days are removed; 90 unless said. */
  readonly eventDays?: number | undefined;
  /** Of more event journals than this the oldest are removed; 2,000 unless said. */
  readonly eventCount?: number | undefined;
  /** Journals of searches that were not gone on with for so many days are removed. */
  readonly searchDays?: number | undefined;
  /** Copies of transcripts that Claude Code has deleted are removed so many days after they were last added to. */
  readonly transcriptCopyDays?: number | undefined;
}

const EVENT_DAYS = 90;

export const KEPT_THINGS = ["events", "searches", "transcript-copies"] as const;

/** What was removed of one kind, or would be. */
export interface Expired {
  readonly what: (typeof KEPT_THINGS)[number];
  readonly files: number;
  readonly bytes: number;
}

export interface RetentionOptions {
  /** Skein's data folder; the user's own by default. */
  readonly home?: string | undefined;
  /** The folder of Claude Code's projects' folders; the user's own by default. */
  readonly transcriptsHome?: string | undefined;
  /** Only tell what would be removed. */
  readonly dryRun?: boolean | undefined;
  /** How long another process is waited for that does it; less than 0 is not at all. */
  readonly waitMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const DAY_MS = 86_400_000;

/** Removes what is kept no longer: never of a run that goes on, and nothing of the record. One process at a time does it. */
export async function applyRetention(
  settings: RetentionSettings,
  { home = dataHome(), transcriptsHome, dryRun = false, waitMs = 120_000, clock = systemClock }: RetentionOptions = {},
): Promise<readonly Expired[]> {
  await using _ = dryRun ? undefined : await takeLock(join(home, "retention.lock"), { clock, waitMs });
  const { eventDays = EVENT_DAYS, eventCount = MOST_RUNS, searchDays, transcriptCopyDays } = settings;
  const before = (days: number): number => clock.now() - days * DAY_MS;
  const places = { home, ...(transcriptsHome === undefined ? {} : { transcriptsHome }) };
  const found: readonly (readonly [Expired["what"], readonly OldFile[]])[] = [
    ["events", await oldJournals(eventFolder(home), { most: eventCount, beforeMs: before(eventDays) })],
    ["searches", searchDays === undefined ? [] : await oldSearches(home, before(searchDays))],
    ["transcript-copies", transcriptCopyDays === undefined ? [] : await oldCopies(places, before(transcriptCopyDays))],
  ];
  if (!dryRun) {
    for (const { path } of found.flatMap(([, files]) => files)) await rm(path, { force: true });
    const applied = { version: 1, appliedAt: isoTime(clock.now()), eventCount };
    await writeDurably(retentionPath(home), `${JSON.stringify(applied)}\n`);
  }
  return found.map(([what, files]) => ({
    what,
    files: files.length,
    bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }));
}

interface OldFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** The journals by which searches could be gone on with, of workspaces in which none goes on now. */
async function oldSearches(home: string, beforeMs: number): Promise<readonly OldFile[]> {
  const going = await goingRuns(eventFolder(home));
  const busy = new Set(going.filter(({ kind }) => kind === "search").map(({ workspace }) => workspace));
  const idle = (await findStores(home)).filter(({ workspace }) => !busy.has(workspace));
  const found = await Promise.all(idle.map(async (store) => await oldFiles(join(store.home, "searches"), beforeMs)));
  return found.flat();
}

async function oldFiles(folder: string, beforeMs: number): Promise<readonly OldFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  const files = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      file: await stat(join(folder, name)).catch(() => undefined),
    })),
  );
  return files.flatMap(({ path, file }) => (file && file.mtimeMs < beforeMs ? { path, sizeBytes: file.size } : []));
}

import { statSync } from "node:fs";
import { join } from "node:path";
import { type PriceTable, SkeinError } from "../../core/internal.ts";
import type { SkippedPath } from "../problem.ts";
import { archiveTranscripts } from "./archive.ts";
import { assembleLedger, EMPTY_LEDGER, type Ledger, type LedgerPart } from "./ledger.ts";
import { readLedger, type StoredLedger, writeLedger } from "./ledger-file.ts";
import { type ReadProgress, type RefreshedLedger, refreshLedger } from "./refresh-ledger.ts";
import { sumStats } from "./sum-stats.ts";
import { copyKept, type CopySetting, hasCopy, isRecorded, keepRead, takeCopies } from "./take-copies.ts";
import {
  findSession,
  type IsKept,
  pageOfSessions,
  sumProjects,
  toSession,
  type TotalsView,
  viewTotals,
} from "./totals-view.ts";
import type { RefreshOptions, RefreshReport, TranscriptTotals } from "./transcript-totals.ts";

export interface TotalsSetting extends CopySetting {
  readonly prices: PriceTable;
}

/** The totals, with what the index needs of them beside. */
export interface OpenedTotals extends TranscriptTotals {
  /** All that is known now. */
  view(): TotalsView;
}

const LEDGER = "totals.bin";

/** Makes the totals of transcripts over the ledger in a folder. */
export function createTotals(setting: TotalsSetting): OpenedTotals {
  const { prices } = setting;
  const store = createStore(setting);
  let seen: TotalsView | undefined;
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw new SkeinError("The transcripts are closed", { kind: "usage", hint: "Open them again" });
  };
  const view = (): TotalsView => {
    checkOpen();
    return (seen ??= viewTotals(store.load().ledger, prices));
  };
  const isKept: IsKept = (facts) => hasCopy(setting, facts);
  const named = (id: string): ReturnType<typeof findSession> => findSession(view(), id);
  const close = (): Promise<void> => {
    isClosed = true;
    return Promise.resolve();
  };
  return {
    view,
    async refresh(options = {}) {
      checkOpen();
      const startedMs = performance.now();
      const { signal } = options;
      const before = store.load();
      const done = await refreshLedger(before.ledger, { ...setting, signal, onProgress: progressOf(options) });
      const copies = before.hasCopies ? NO_COPIES : await takeCopies(setting, done, signal);
      // Before the ledger says that they were read: what ends here does it the next time.
      const uncopied = await keepRead(setting, done.read, signal);
      if (done.hasChanged || !before.hasCopies) {
        await store.replace([...partsOf(done.ledger), ...copies.digests]);
        seen = undefined;
      }
      const skipped = [...done.skipped, ...copies.skipped, ...uncopied];
      return reportOf(store.load().ledger, { ...done, skipped }, performance.now() - startedMs);
    },
    sessions: async (query = {}) => ({
      ...pageOfSessions(view(), query, isKept),
      prices: { date: prices.date, source: prices.source },
    }),
    session: async (id) => toSession(view(), named(id), isKept),
    projects: async () => sumProjects(view()),
    stats: async ({ session, ...options }) =>
      sumStats(view(), session === undefined ? options : { ...options, session: named(session).id }, prices),
    archive: async (options = {}) => archiveTranscripts(setting, view().ledger, options),
    copyKept: async (id, folder) => copyKept(setting, toSession(view(), named(id), isKept), folder),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const NO_COPIES: Awaited<ReturnType<typeof takeCopies>> = { digests: [], skipped: [] };

/** The ledger's file, and what was read from it. */
function createStore(setting: TotalsSetting) {
  const path = join(setting.folder, LEDGER);
  let stored: StoredLedger | undefined;
  let identity: string | undefined;
  const load = (): StoredLedger => {
    if (stored !== undefined) return stored;
    identity = identityOf(path);
    return (stored = readLedger(path) ?? { ledger: EMPTY_LEDGER, hasCopies: false });
  };
  return {
    load,
    async replace(parts: readonly LedgerPart[]): Promise<void> {
      const others = identityOf(path) === identity ? [] : partsOfOthers(path, parts, setting);
      stored = { ledger: assembleLedger([...parts, ...others]), hasCopies: true };
      // Where it cannot be written, the next one reads all of it again, and that is all that is lost.
      await writeLedger(path, stored).catch(() => undefined);
      identity = identityOf(path);
    },
  };
}

/** What another process has written meanwhile may know of transcripts that were deleted before this one saw them. */
function partsOfOthers(path: string, parts: readonly LedgerPart[], setting: TotalsSetting): readonly LedgerPart[] {
  const known = new Set(parts.map(({ facts }) => facts.path));
  const others = partsOf(readLedger(path)?.ledger ?? EMPTY_LEDGER);
  return others.filter(({ facts }) => !known.has(facts.path) && !isRecorded(setting, facts.path));
}

function partsOf(ledger: Ledger): readonly LedgerPart[] {
  return ledger.files.map((file) => ({ from: ledger, file, facts: file.facts }));
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}:${found.mtimeNs}`;
}

function progressOf({ onProgress }: RefreshOptions) {
  if (onProgress === undefined) return undefined;
  return ({ files, bytes, bytesDone }: ReadProgress) =>
    onProgress({ step: "reading", files, filesDone: bytesDone < bytes ? 0 : files, bytes, bytesDone });
}

function reportOf(
  ledger: Ledger,
  { listed, read, skipped }: Pick<RefreshedLedger, "listed" | "read"> & { readonly skipped: readonly SkippedPath[] },
  durationMs: number,
): RefreshReport {
  const sum = (of: (file: (typeof read)[number]) => number): number => read.reduce((all, file) => all + of(file), 0);
  return {
    files: listed.length,
    filesRead: read.filter(({ bytes }) => bytes > 0).length,
    filesReread: read.filter(({ isReread }) => isReread).length,
    filesPurged: ledger.files.filter(({ facts }) => facts.isPurged).length,
    bytesRead: sum(({ bytes }) => bytes),
    linesRead: sum(({ lines }) => lines),
    brokenLines: sum(({ brokenLines }) => brokenLines),
    brokenLinesKnown: ledger.files.reduce((all, { facts }) => all + facts.brokenLines, 0),
    skipped,
    durationMs,
  };
}

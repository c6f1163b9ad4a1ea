import type { Clock } from "../../../core/internal.ts";
import { UnusableDatabaseError } from "../../../database/index.ts";
import {
  openTranscriptIndex,
  openTranscriptTotals,
  type TranscriptIndex,
  type TranscriptTotals,
} from "../../../transcript/internal.ts";

/** What is known of all transcripts, opened when it is first asked for. */
export interface OpenTranscripts extends AsyncDisposable {
  useTotals<Value>(work: (totals: TranscriptTotals) => Promise<Value>): Promise<Value>;
  /** The index grows meanwhile: nobody waits long for it, and a search says what it lacks. */
  useIndex<Value>(work: (index: TranscriptIndex) => Promise<Value>): Promise<Value>;
}

/** The files are not looked at more often than this. */
const REFRESH_EVERY_MS = 1000;
/** So long a search waits for what is new. */
const PATIENCE_MS = 1000;

export function createOpenTranscripts(
  options: { readonly home: string; readonly transcriptsHome?: string },
  clock: Clock,
): OpenTranscripts {
  const ended = new AbortController();
  const totals = createRefreshed(() => openTranscriptTotals(options), clock, ended.signal);
  const index = createRefreshed(() => openTranscriptIndex(options), clock, ended.signal);
  return {
    async useTotals(work) {
      const opened = await totals.open();
      await totals.refresh(opened);
      return await work(opened);
    },
    async useIndex(work) {
      const opened = await index.open();
      try {
        await Promise.race([index.refresh(opened), clock.sleep(PATIENCE_MS, ended.signal)]);
        return await work(opened);
      } catch (error) {
        // It was damaged and is gone: the next one is made anew.
        if (error instanceof UnusableDatabaseError) index.forget();
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await Promise.all([totals.close(), index.close()]);
    },
  };
}

interface Refreshable {
  refresh(options: { readonly signal: AbortSignal }): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens something once, and brings it up to date once for all who ask at the same time. */
function createRefreshed<Opened extends Refreshable>(make: () => Promise<Opened>, clock: Clock, signal: AbortSignal) {
  let opening: Promise<Opened> | undefined;
  let refreshing: Promise<unknown> | undefined;
  let refreshedAtMs = -Infinity;
  return {
    async open(): Promise<Opened> {
      opening ??= make();
      try {
        return await opening;
      } catch (error) {
        opening = undefined;
        throw error;
      }
    },
    forget: (): void => void (opening = undefined),
    async refresh(opened: Opened): Promise<void> {
      if (!refreshing && clock.now() - refreshedAtMs < REFRESH_EVERY_MS) return;
      refreshing ??= opened.refresh({ signal }).finally(() => {
        refreshing = undefined;
        refreshedAtMs = clock.now();
      });
      await refreshing;
    },
    async close(): Promise<void> {
      await refreshing?.catch(() => undefined);
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

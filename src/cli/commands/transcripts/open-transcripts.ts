import { join } from "node:path";
import {
  openTranscriptIndex,
  openTranscriptTotals,
  type IndexReport,
  type RefreshOptions,
  type RefreshProgress,
  type RefreshReport,
  type TranscriptIndex,
  type TranscriptTotals,
} from "../../../transcript/internal.ts";
import { unpackSessions } from "../../../trace/internal.ts";
import type { CommandContext } from "../../define-command.ts";
import { createSpinner, formatBytes, formatElapsed, formatNumberOf, parseMoment } from "../../../terminal/index.ts";
import { type Clock, defined, systemClock } from "../../../core/internal.ts";
import { usageError } from "../../../protocol/index.ts";
import { textFlag } from "../../common-flags.ts";

export const homeFlag = textFlag("directory", "Claude Code's own folder (default: $CLAUDE_CONFIG_DIR or ~/.claude)");

export const projectFlag = textFlag("project", "Only this project: its path, or the last part of it");

export interface OpenedTotals extends AsyncDisposable {
  readonly totals: TranscriptTotals;
  readonly refreshed: RefreshReport;
}

/** Opens the totals and brings them up to date; on a terminal, a long reading is seen. */
export async function openTotals(home: string | undefined, context: CommandContext): Promise<OpenedTotals> {
  const { folder: recorded, skipped } = await unpackSessions({ signal: context.signal });
  const totals = await openTranscriptTotals({ recorded, ...placeOf(home) });
  const refreshed = await showReading(context, (options) => totals.refresh(options));
  return {
    totals,
    refreshed: { ...refreshed, skipped: [...skipped, ...refreshed.skipped] },
    [Symbol.asyncDispose]: () => totals.close(),
  };
}

export interface OpenedIndex extends AsyncDisposable {
  readonly index: TranscriptIndex;
  readonly refreshed: IndexReport;
}

interface OpenIndexOptions {
  /** How long words may be taken in; until all are, unless said. */
  readonly patienceMs?: number;
  readonly onProgress?: RefreshOptions["onProgress"];
}

/** Opens the index and brings it up to date. */
export async function openIndex(
  home: string | undefined,
  context: CommandContext,
  { patienceMs, onProgress }: OpenIndexOptions = {},
): Promise<OpenedIndex> {
  const { folder: recorded, skipped } = await unpackSessions({ signal: context.signal });
  const index = await openTranscriptIndex({ recorded, ...placeOf(home) });
  try {
    const refreshed = await showReading(
      context,
      (options) => index.refresh({ ...options, ...defined({ patienceMs }) }),
      onProgress,
    );
    return {
      index,
      refreshed: { ...refreshed, skipped: [...skipped, ...refreshed.skipped] },
      [Symbol.asyncDispose]: () => index.close(),
    };
  } catch (error) {
    await index.close();
    throw error;
  }
}

function placeOf(home: string | undefined): { readonly transcriptsHome?: string } {
  return home === undefined ? {} : { transcriptsHome: join(home, "projects") };
}

async function showReading<T>(
  { terminal, signal, print }: CommandContext,
  read: (options: RefreshOptions) => Promise<T>,
  onProgress?: RefreshOptions["onProgress"],
): Promise<T> {
  const spinner = createSpinner((text) => void print(text), terminal, systemClock);
  const describe = createProgressText(systemClock);
  try {
    return await read({
      signal,
      onProgress(progress) {
        onProgress?.(progress);
        if (terminal.isLive) spinner.start(describe(STEPS[progress.step], progress));
      },
    });
  } finally {
    spinner.stop();
  }
}

const STEPS = { reading: "Reading", indexing: "Indexing" } as const;

/** Says how far something is, and from the second second on how long it will take. */
export function createProgressText(clock: Clock) {
  let begun: { readonly verb: string; readonly atMs: number; readonly bytes: number } | undefined;
  return (verb: string, { files, bytes, bytesDone }: Omit<RefreshProgress, "step">): string => {
    if (begun?.verb !== verb) begun = { verb, atMs: clock.now(), bytes: bytesDone };
    const elapsedMs = clock.now() - begun.atMs;
    const leftMs = ((bytes - bytesDone) / (bytesDone - begun.bytes)) * elapsedMs;
    const left = elapsedMs >= 1000 && leftMs >= 1000 ? `, about ${formatElapsed(leftMs)} left` : "";
    const size = `${formatBytes(bytesDone)} of ${formatBytes(bytes)}`;
    return `${verb} ${formatNumberOf(files, "transcript")}, ${size}${left}`;
  };
}

/** The moments of two flags; an error that names the flag where one is none. */
export function periodOf(
  command: string,
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
): { readonly sinceMs?: number; readonly untilMs?: number } {
  const momentOf = (flag: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const atMs = parseMoment(text, systemClock.now());
    if (atMs !== undefined) return atMs;
    const expected = "a time such as 2026-11-15, 2026-11-15T09:30, 3h or 7d";
    throw usageError(command, `${flag} must be ${expected}, not ${JSON.stringify(text)}`, { target: flag });
  };
  return defined({ sinceMs: momentOf("--since", since), untilMs: momentOf("--until", until) });
}

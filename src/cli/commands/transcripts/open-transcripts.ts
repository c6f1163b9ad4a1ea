import { join } from "node:path";
import { openTranscriptIndex, type RefreshReport, type TranscriptIndex } from "../../../transcript/internal.ts";
import { unpackSessions } from "../../../trace/internal.ts";
import type { CommandContext } from "../../define-command.ts";
import { formatBytes, parseMoment, createSpinner } from "../../../terminal/index.ts";
import { defined, systemClock } from "../../../core/internal.ts";
import { usageError } from "../../../protocol/index.ts";
import { textFlag } from "../../common-flags.ts";

export const homeFlag = textFlag("directory", "Claude Code's own folder (default: $CLAUDE_CONFIG_DIR or ~/.claude)");

export const projectFlag = textFlag("project", "Only this project: its path, or the last part of it");

export interface OpenedTranscripts extends AsyncDisposable {
  readonly index: TranscriptIndex;
  readonly refreshed: RefreshReport;
}

/** Opens the index and brings it up to date; on a terminal, a long reading is seen. */
export async function openTranscripts(home: string | undefined, context: CommandContext): Promise<OpenedTranscripts> {
  const { terminal, signal, print } = context;
  const { folder: recorded, skipped } = await unpackSessions({ signal });
  const index = await openTranscriptIndex({
    recorded,
    ...(home === undefined ? {} : { transcriptsHome: join(home, "projects") }),
  });
  const spinner = createSpinner((text) => void print(text), terminal, systemClock);
  try {
    const refreshed = await index.refresh({
      signal,
      onProgress({ bytes, bytesDone, files }) {
        if (terminal.isLive)
          spinner.start(`Reading ${files} transcripts, ${formatBytes(bytesDone)} of ${formatBytes(bytes)}`);
      },
    });
    return {
      index,
      refreshed: { ...refreshed, skipped: [...skipped, ...refreshed.skipped] },
      [Symbol.asyncDispose]: () => index.close(),
    };
  } catch (error) {
    await index.close();
    throw error;
  } finally {
    spinner.stop();
  }
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

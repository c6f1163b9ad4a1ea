import type { Clock } from "../../core/internal.ts";
import { openTranscriptIndex, type TranscriptIndex } from "../../transcript/internal.ts";

/** The index of all transcripts, opened when it is first asked for. */
export interface OpenTranscripts extends AsyncDisposable {
  use<Value>(work: (index: TranscriptIndex) => Promise<Value>): Promise<Value>;
}

/** The files are not looked at more often than this. */
const REFRESH_EVERY_MS = 1000;

export function createOpenTranscripts(
  options: { readonly home: string; readonly transcriptsHome?: string },
  clock: Clock,
): OpenTranscripts {
  let opening: Promise<TranscriptIndex> | undefined;
  let refreshing: Promise<unknown> | undefined;
  let refreshedAtMs = -Infinity;

  async function opened(): Promise<TranscriptIndex> {
    opening ??= openTranscriptIndex(options);
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  }

  async function refresh(index: TranscriptIndex): Promise<void> {
    if (!refreshing && clock.now() - refreshedAtMs < REFRESH_EVERY_MS) return;
    refreshing ??= index.refresh().finally(() => {
      refreshing = undefined;
      refreshedAtMs = clock.now();
    });
    await refreshing;
  }

  return {
    async use(work) {
      const index = await opened();
      await refresh(index);
      return await work(index);
    },
    async [Symbol.asyncDispose]() {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

import { type OpenTranscriptsOptions, settingOf } from "../totals/open-transcripts.ts";
import type { TranscriptIndex } from "./transcript-index.ts";

/**
 * Opens the index of transcripts, making it where there is none. A damaged one, or one of a newer version, is replaced by
 * an empty one, which the next refresh fills: nothing is lost that still exists as a file or as a kept copy.
 */
export async function openTranscriptIndex(options: OpenTranscriptsOptions = {}): Promise<TranscriptIndex> {
  const setting = await settingOf(options);
  // Loaded only here: who opens no index does without the query builder.
  const { createTranscriptIndex } = await import("./create-transcript-index.ts");
  return createTranscriptIndex(setting);
}

import { createHash } from "node:crypto";
import { mkdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { dataHome, PRICE_TABLE, type PriceTable, PRIVATE_FOLDER, SkeinError } from "../../core/internal.ts";
import { transcriptsHome } from "../discover/find-sessions.ts";
import type { TranscriptIndex } from "./transcript-index.ts";

/** Which transcripts are indexed, and where. */
export interface OpenIndexOptions {
  /** Skein's data folder; the user's own unless said. */
  readonly home?: string;
  /** The folder of the projects' folders; Claude Code's own unless said. Each has an index of its own. */
  readonly transcriptsHome?: string;
  /** A folder of recorded sessions laid out in the same way, which are indexed too; `unpackSessions` of `skein/trace` makes one. */
  readonly recorded?: string;
  /** Whether a compressed copy of each transcript is kept, which stays when Claude Code deletes it; as `skein archive` has set it, unless said. */
  readonly keepTranscripts?: boolean;
  /** Prices other than the built-in ones. */
  readonly prices?: PriceTable;
}

/**
 * Opens the index of transcripts, making it where there is none. A damaged one, or one of a newer version, is replaced by
 * an empty one, which the next refresh fills: nothing is lost that still exists as a file or as a kept copy.
 */
export async function openTranscriptIndex(options: OpenIndexOptions = {}): Promise<TranscriptIndex> {
  const { recorded, keepTranscripts = true, prices = PRICE_TABLE } = options;
  const base = resolve(options.transcriptsHome ?? transcriptsHome());
  const folder = join(options.home ?? dataHome(), "transcripts", await nameOf(base));
  await makeFolder(folder);
  // Loaded only here: who opens no index does without the query builder.
  const { createTranscriptIndex } = await import("./create-transcript-index.ts");
  return createTranscriptIndex({ base, recorded, folder, keepTranscripts, prices });
}

/** Tells which transcripts an index is of; links to them lead to the same. */
async function nameOf(base: string): Promise<string> {
  const real = await realpath(base).catch(() => base);
  return createHash("sha256").update(real).digest("hex").slice(0, 16);
}

/** Transcripts hold what was said in confidence: nobody else may look into the folder. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, PRIVATE_FOLDER);
  } catch (cause) {
    throw new SkeinError(`The folder of the transcript index cannot be created: ${folder}`, {
      kind: "filesystem",
      target: folder,
      cause,
      hint: "See that SKEIN_HOME, or the folder for user data, may be written",
    });
  }
}

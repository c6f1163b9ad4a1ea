import { createHash } from "node:crypto";
import { mkdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { dataHome, PRICE_TABLE, type PriceTable, PRIVATE_FOLDER, SkeinError } from "../../core/internal.ts";
import { transcriptsHome } from "../discover/find-sessions.ts";
import { createTotals, type TotalsSetting } from "./create-totals.ts";
import type { TranscriptTotals } from "./transcript-totals.ts";

/** Which transcripts are meant, and where what is known of them lies. */
export interface OpenTranscriptsOptions {
  /** Skein's data folder; the user's own unless said. */
  readonly home?: string;
  /** The folder of the projects' folders; Claude Code's own unless said. Each has totals and an index of its own. */
  readonly transcriptsHome?: string;
  /** A folder of recorded sessions laid out in the same way, which count too; `unpackSessions` of `skein/trace` makes one. */
  readonly recorded?: string;
  /** Whether a compressed copy of each transcript is kept, which stays when Claude Code deletes it; as `skein archive` has set it, unless said. */
  readonly keepTranscripts?: boolean;
  /** Prices other than the built-in ones. */
  readonly prices?: PriceTable;
}

/**
 * Opens the totals of transcripts: sessions, tokens and money, without an index. What was read is remembered in a file, so that
 * the next time only what is new is read; where that file is damaged, or of another version, everything is read again.
 */
export async function openTranscriptTotals(options: OpenTranscriptsOptions = {}): Promise<TranscriptTotals> {
  return createTotals(await settingOf(options));
}

/** The settings that options mean; makes Skein's folder for them. */
export async function settingOf(options: OpenTranscriptsOptions): Promise<TotalsSetting> {
  const { recorded, keepTranscripts, prices = PRICE_TABLE } = options;
  const base = resolve(options.transcriptsHome ?? transcriptsHome());
  const folder = join(options.home ?? dataHome(), "transcripts", await nameOf(base));
  await makeFolder(folder);
  return { base, recorded, folder, keepTranscripts, prices };
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
    throw new SkeinError(`The folder for what is known of transcripts cannot be created: ${folder}`, {
      kind: "filesystem",
      target: folder,
      cause,
      hint: "See that SKEIN_HOME, or the folder for user data, may be written",
    });
  }
}

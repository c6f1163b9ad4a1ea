import { join, relative } from "node:path";
import type { Kysely } from "kysely";
import type { PriceTable } from "../../core/index.ts";
import type { TranscriptTables } from "./schema.ts";

/** An open index: its database, where it reads and where it keeps. */
export interface IndexSetting {
  readonly db: Kysely<TranscriptTables>;
  /** The folder of the projects' folders. */
  readonly base: string;
  /** The index's own folder. */
  readonly folder: string;
  readonly keepTranscripts: boolean;
  readonly prices: PriceTable;
}

/** Where the copy of a transcript is kept. */
export function copyPath({ base, folder }: Pick<IndexSetting, "base" | "folder">, path: string): string {
  return join(folder, "kept", `${relative(base, path)}.gz`);
}

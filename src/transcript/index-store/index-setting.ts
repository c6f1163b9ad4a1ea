import { join, relative, sep } from "node:path";
import type { PriceTable } from "../../core/index.ts";
import type { IndexDatabase } from "./schema.ts";

/** An open index: its database, where it reads and where it keeps. */
export interface IndexSetting {
  readonly db: IndexDatabase;
  /** The folder of the projects' folders. */
  readonly base: string;
  /** A second folder of that kind, of copies that can be made again: nothing of it is kept. */
  readonly recorded: string | undefined;
  /** The index's own folder. */
  readonly folder: string;
  readonly keepTranscripts: boolean;
  readonly prices: PriceTable;
}

/** Whether a transcript is one of those that are not kept. */
export function isRecorded({ recorded }: Pick<IndexSetting, "recorded">, path: string): boolean {
  return recorded !== undefined && path.startsWith(recorded + sep);
}

/** Where the copy of a transcript is kept. */
export function copyPath({ base, folder }: Pick<IndexSetting, "base" | "folder">, path: string): string {
  return join(folder, "kept", `${relative(base, path)}.gz`);
}

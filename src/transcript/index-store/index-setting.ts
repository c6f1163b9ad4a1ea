import { join, relative, sep } from "node:path";
import type { PriceTable } from "../../core/internal.ts";
import type { IndexDatabase } from "./schema.ts";

export interface IndexSetting {
  readonly db: IndexDatabase;
  readonly base: string;
  /** A second folder of that kind, of copies that can be made again: nothing of it is kept. */
  readonly recorded: string | undefined;
  readonly folder: string;
  readonly keepTranscripts: boolean;
  readonly prices: PriceTable;
}

export function isRecorded({ recorded }: IndexSetting, path: string): boolean {
  return recorded !== undefined && path.startsWith(recorded + sep);
}

export function isToKeep(setting: IndexSetting, path: string): boolean {
  return setting.keepTranscripts && !isRecorded(setting, path);
}

export function copyPath({ base, folder }: IndexSetting, path: string): string {
  return join(folder, "kept", `${relative(base, path)}.gz`);
}

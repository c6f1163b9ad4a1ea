import type { Stats } from "node:fs";

/** A folder or a file of a workspace that its branches get too. */
export interface CarriedPath {
  readonly path: string;
  /** Changes when the file does, or when something is added to the folder itself or taken away. */
  readonly stamp: string;
}

/** A text that changes with what is carried. */
export function stampOf(stats: Stats): string {
  return [stats.ino, stats.mtimeMs, ...(stats.isFile() ? [stats.size] : [])].join(" ");
}

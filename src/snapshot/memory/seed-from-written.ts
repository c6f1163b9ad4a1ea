import type { BytePath } from "../../git/index.ts";
import type { Seed } from "./seed-from-index.ts";
import { isSameStat, type StatKey } from "../scan/tree-node.ts";

/** A file that was just written: its content, and how it looked right after. */
export interface WrittenFile {
  readonly oid: string;
  readonly stat: StatKey;
}

/** Knows the content of files that Skein itself wrote, as long as they look as they did right after. */
export function seedFromWritten(written: ReadonlyMap<BytePath, WrittenFile>): Seed {
  return ({ path, stats }) => {
    const file = written.get(path);
    return file && isSameStat(file.stat, stats) ? file.oid : undefined;
  };
}

/** The latest change of any of these files. */
export function latestChangeMs(written: ReadonlyMap<BytePath, WrittenFile>): number {
  let latest = 0;
  for (const { stat } of written.values()) latest = Math.max(latest, stat.ctimeMs, stat.mtimeMs);
  return latest;
}

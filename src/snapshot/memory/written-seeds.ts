import type { Clock } from "../../core/index.ts";
import type { BytePath, ObjectReader } from "../../git/index.ts";
import { RACY_MS } from "../capture/scan-place.ts";
import { isSameStat, type StatKey } from "../capture/tree-node.ts";
import type { Seed } from "./seed-from-index.ts";

/** What is known of a directory that a snapshot was just written into. */
export interface WrittenSeed {
  readonly snapshotId: string;
  readonly writtenMs: number;
  readonly seed: Seed;
}

/**
 * What a capture that begins now may go by of a directory that was just written. A file is taken to be young, and would be read by every
 * capture, for a while after it was written: so long this is kept.
 */
export async function useSeed(
  seeds: Map<string, WrittenSeed>,
  directory: string,
  { objects, clock }: { readonly objects: ObjectReader; readonly clock: Clock },
): Promise<Seed | undefined> {
  const written = seeds.get(directory);
  if (!written) return undefined;
  if (clock.now() > written.writtenMs + RACY_MS) seeds.delete(directory);
  // Files that are not read must be in the store, which they are as long as that snapshot is.
  return (await objects.info(written.snapshotId)) ? written.seed : undefined;
}

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

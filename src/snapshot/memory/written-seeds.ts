import type { Clock } from "../../core/index.ts";
import type { ObjectReader } from "../../git/index.ts";
import { RACY_MS } from "../scan/scan-place.ts";
import type { Seed } from "./seed-from-index.ts";

/** What is known of a directory that a snapshot was just written into. */
export interface WrittenSeed {
  readonly snapshotId: string;
  readonly writtenMs: number;
  readonly seed: Seed;
}

/** What is known of directories that were just written, until their captures know it themselves. */
export interface WrittenSeeds {
  set(directory: string, written: WrittenSeed): void;
  /** What a directory was written as; handed to whoever will capture it. */
  get(directory: string): WrittenSeed | undefined;
  /** What a capture that begins now may go by. */
  use(directory: string): Promise<Seed | undefined>;
}

/** What seeds are kept with. */
export interface WrittenSeedsContext {
  readonly objects: ObjectReader;
  readonly clock: Clock;
  /** What another store knows of a directory. */
  readonly written: { readonly directory: string; readonly seed: WrittenSeed } | undefined;
}

/** A file is taken to be young, and would be read by every capture, for a while after it was written: so long this is kept. */
export function createWrittenSeeds({ objects, clock, written: first }: WrittenSeedsContext): WrittenSeeds {
  const seeds = new Map<string, WrittenSeed>(first ? [[first.directory, first.seed]] : []);
  return {
    set: (directory, written) => void seeds.set(directory, written),
    get: (directory) => seeds.get(directory),
    async use(directory) {
      const written = seeds.get(directory);
      if (!written) return undefined;
      if (clock.now() > written.writtenMs + RACY_MS) seeds.delete(directory);
      // Files that are not read must be in the store, which they are as long as that snapshot is.
      return (await objects.info(written.snapshotId)) ? written.seed : undefined;
    },
  };
}

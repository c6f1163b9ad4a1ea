import { SIZE_LIMIT_BYTES } from "../scan/capture.ts";
import type { Memory } from "../scan/capture-context.ts";
import type { Memories } from "./memories.ts";
import type { CaptureOptions } from "../snapshot-store.ts";
import { createUpperLayer, type UpperLayer } from "../scan/upper-layer.ts";

/** A base as it was read when it was made. It never changes. */
export interface BaseTree {
  readonly memory: Memory;
  /** The limit under which it was read. */
  readonly sizeLimitBytes: number;
  /** Nothing in it was left out. */
  readonly isWhole: boolean;
}

/** A directory that is an overlay over a base. */
export interface LayeredDirectory {
  /** The directory's real path. */
  readonly directory: string;
  /** The overlay's upper folder. */
  readonly upper: string;
  base(): Promise<BaseTree>;
}

/** What is remembered of directories of which one is an overlay. */
export interface LayeredMemories extends Memories {
  /** What a capture has to look at, where that is less than everything. */
  layerFor(directory: string, options: CaptureOptions): Promise<UpperLayer | undefined>;
}

/**
 * An overlay's first memory is that of its base, whoever made the base; its own are not written to the disk, for the next
 * process will not see this overlay.
 */
export function createLayeredMemories(others: Memories, layered: LayeredDirectory | undefined): LayeredMemories {
  if (!layered) return { ...others, layerFor: async () => undefined };
  let latest: Memory | undefined;
  return {
    get: async (directory) =>
      directory === layered.directory ? (latest ?? (await layered.base()).memory) : await others.get(directory),
    set(directory, memory) {
      if (directory === layered.directory) latest = memory;
      else others.set(directory, memory);
    },
    save: () => others.save(),
    async layerFor(directory, { sizeLimitBytes = SIZE_LIMIT_BYTES }) {
      if (directory !== layered.directory) return undefined;
      const base = await layered.base();
      // What was left out is told by every capture, and what is too large depends on the limit: then everything is looked at.
      const isComplete = base.isWhole && base.sizeLimitBytes === sizeLimitBytes;
      return isComplete ? createUpperLayer(layered.upper) : undefined;
    },
  };
}

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Memory } from "../capture/capture-context.ts";
import { createUpperLayer, type UpperLayer } from "../capture/upper-layer.ts";
import { SIZE_LIMIT_BYTES } from "../left-out/size-limit.ts";
import type { CaptureOptions } from "../snapshot-store.ts";
import type { Repository } from "../store/repository.ts";
import { loadMemory, saveMemory } from "./memory-file.ts";
import { removeShadow, type Shadow, sweepShadows, writeShadow } from "./shadow.ts";

/** Looking at so many files one by one takes about as long as telling git about them. */
const MOST_LOOKED = 500;

/** A base as it was read when it was made. It never changes. */
export interface BaseTree {
  readonly memory: Memory;
  /** The limit under which it was read. */
  readonly sizeLimitBytes: number;
  /** Nothing in it was left out. */
  readonly isWhole: boolean;
}

/** A directory, by its real path, that is an overlay over a base. */
export interface LayeredDirectory {
  readonly directory: string;
  /** The overlay's upper folder. */
  readonly upper: string;
  base(): Promise<BaseTree>;
}

/**
 * What is remembered of each directory is written after the answer to its first capture and when the store is closed, not each time: an
 * older memory is as right as a new one, only less complete. An overlay's is not, for the next process will not see this overlay.
 */
export function createMemories(
  repository: Repository,
  { fewFiles, layered }: { readonly fewFiles: number; readonly layered: LayeredDirectory | undefined },
) {
  const held = new Map<string, Memory>();
  const saved = new Map<string, Memory>();
  const writing = new Map<string, Promise<void>>();
  const own = new Map<string, Shadow>();
  let ofOverlay: Memory | undefined;
  const save = async (directory: string, memory: Memory): Promise<void> => {
    saved.set(directory, memory);
    await nextTurn();
    const shadow = await saveMemory(repository, directory, { ...memory, fewFiles });
    if (shadow) held.set(directory, { ...memory, shadow, looked: 0 });
    await sweepShadows(repository, directory, shadow);
  };
  const renewShadow = async (directory: string, memory: Memory): Promise<void> => {
    await nextTurn();
    const shadow = await writeShadow(repository, directory, { root: memory.root, fewFiles });
    if (!shadow) return;
    const older = own.get(directory);
    own.set(directory, shadow);
    held.set(directory, { ...memory, shadow, looked: 0 });
    if (older) await removeShadow(older);
  };
  return {
    async get(directory: string): Promise<Memory | undefined> {
      if (directory === layered?.directory) return ofOverlay ?? (await layered.base()).memory;
      await writing.get(directory);
      const known = held.get(directory) ?? (await loadMemory(repository, directory));
      if (known && !held.has(directory)) for (const memories of [held, saved]) memories.set(directory, known);
      return known;
    },
    set(directory: string, memory: Memory): void {
      if (directory === layered?.directory) return void (ofOverlay = memory);
      held.set(directory, memory);
      if (!saved.has(directory)) writing.set(directory, save(directory, memory));
      else if (memory.looked > MOST_LOOKED) writing.set(directory, renewShadow(directory, memory));
    },
    /** Writes what has changed, and removes what only this process could use. */
    async save(): Promise<void> {
      await Promise.all(writing.values());
      for (const [directory, memory] of held) {
        if (saved.get(directory)?.root !== memory.root) await save(directory, memory);
      }
      for (const shadow of own.values()) await removeShadow(shadow);
      own.clear();
    },
  };
}

/** What a capture has to look at, where that is less than everything. */
export async function layerFor(
  layered: LayeredDirectory | undefined,
  directory: string,
  { sizeLimitBytes = SIZE_LIMIT_BYTES }: CaptureOptions,
): Promise<UpperLayer | undefined> {
  if (directory !== layered?.directory) return undefined;
  const base = await layered.base();
  // What was left out is told by every capture, and what is too large depends on the limit: then everything is looked at.
  const isComplete = base.isWhole && base.sizeLimitBytes === sizeLimitBytes;
  return isComplete ? createUpperLayer(layered.upper) : undefined;
}

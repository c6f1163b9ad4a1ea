import { setImmediate as nextTurn } from "node:timers/promises";
import type { Memory } from "../capture/capture-context.ts";
import { createUpperLayer, type UpperLayer } from "../capture/upper-layer.ts";
import { SIZE_LIMIT_BYTES } from "../left-out/size-limit.ts";
import type { CaptureOptions } from "../snapshot-store.ts";
import type { Repository } from "../store/repository.ts";
import { loadMemory, saveMemory } from "./memory-file.ts";
import { removeShadow, type Shadow, sweepShadows, writeShadow } from "./shadow.ts";

/** What is remembered of each directory, in this process and, from one to the next, on the disk. */
interface Memories {
  get(directory: string): Promise<Memory | undefined>;
  set(directory: string, memory: Memory): void;
  /** Writes what has changed, and removes what only this process could use. */
  save(): Promise<void>;
  /** What a capture has to look at, where that is less than everything. */
  layerFor(directory: string, options: CaptureOptions): Promise<UpperLayer | undefined>;
}

/**
 * Written after a directory's first capture and when the store is closed, not each time: an older memory is as right as a
 * new one, only less complete, and an older index only has more files looked at. What is written is written after the
 * capture was answered; the next one waits for it. `fewFiles` are sooner looked at one by one than by git.
 */
function createPlainMemories(repository: Repository, fewFiles: number): Memories {
  const held = new Map<string, Memory>();
  const saved = new Map<string, Memory>();
  const writing = new Map<string, Promise<void>>();
  const own = new Map<string, Shadow>();
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
    async get(directory) {
      await writing.get(directory);
      const known = held.get(directory) ?? (await loadMemory(repository, directory));
      if (known && !held.has(directory)) {
        held.set(directory, known);
        saved.set(directory, known);
      }
      return known;
    },
    set(directory, memory) {
      held.set(directory, memory);
      if (!saved.has(directory)) writing.set(directory, save(directory, memory));
      else if (memory.looked > MOST_LOOKED) writing.set(directory, renewShadow(directory, memory));
    },
    async save() {
      await Promise.all(writing.values());
      for (const [directory, memory] of held) {
        if (saved.get(directory)?.root !== memory.root) await save(directory, memory);
      }
      for (const shadow of own.values()) await removeShadow(shadow);
      own.clear();
    },
    layerFor: async () => undefined,
  };
}

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

/** A directory that is an overlay over a base. */
export interface LayeredDirectory {
  /** The directory's real path. */
  readonly directory: string;
  /** The overlay's upper folder. */
  readonly upper: string;
  base(): Promise<BaseTree>;
}

/**
 * Opens what is remembered of directories, of which one may be an overlay. An overlay's first memory is that of its base, whoever made
 * the base; its own are not written to the disk, for the next process will not see this overlay.
 */
export function createMemories(
  repository: Repository,
  { fewFiles, layered }: { readonly fewFiles: number; readonly layered: LayeredDirectory | undefined },
): Memories {
  const others = createPlainMemories(repository, fewFiles);
  if (!layered) return others;
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

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Memory } from "../scan/capture-context.ts";
import { loadMemory, saveMemory } from "./memory-file.ts";
import type { Repository } from "../store/repository.ts";
import { removeShadow, sweepShadows, writeShadow } from "./shadow-files.ts";
import type { Shadow } from "./shadow-index.ts";

/** What is remembered of each directory, in this process and, from one to the next, on the disk. */
export interface Memories {
  get(directory: string): Promise<Memory | undefined>;
  set(directory: string, memory: Memory): void;
  /** Writes what has changed, and removes what only this process could use. */
  save(): Promise<void>;
}

/**
 * Written after a directory's first capture and when the store is closed, not each time: an older memory is as right as a
 * new one, only less complete, and an older index only has more files looked at. What is written is written after the
 * capture was answered; the next one waits for it. `fewFiles` are sooner looked at one by one than by git.
 */
export function createMemories(repository: Repository, fewFiles: number): Memories {
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
  };
}

/** Looking at so many files one by one takes about as long as telling git about them. */
const MOST_LOOKED = 500;

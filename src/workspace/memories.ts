import type { Memory } from "./capture.ts";
import { loadMemory, saveMemory } from "./memory-file.ts";
import type { Repository } from "./repository.ts";

/** What is remembered of each directory, in this process and, from one to the next, on the disk. */
export interface Memories {
  get(directory: string): Promise<Memory | undefined>;
  set(directory: string, memory: Memory): Promise<void>;
  /** Writes what has changed. */
  save(): Promise<void>;
}

/**
 * Written after a directory's first capture and when the store is closed, not each time: an older memory is as right as a
 * new one, only less complete.
 */
export function createMemories(repository: Repository): Memories {
  const held = new Map<string, Memory>();
  const saved = new Map<string, Memory>();
  return {
    async get(directory) {
      const known = held.get(directory) ?? (await loadMemory(repository, directory));
      if (known && !held.has(directory)) {
        held.set(directory, known);
        saved.set(directory, known);
      }
      return known;
    },
    async set(directory, memory) {
      held.set(directory, memory);
      if (saved.has(directory)) return;
      saved.set(directory, memory);
      await saveMemory(repository, directory, memory);
    },
    async save() {
      for (const [directory, memory] of held) {
        if (saved.get(directory)?.root !== memory.root) await saveMemory(repository, directory, memory);
        saved.set(directory, memory);
      }
    },
  };
}

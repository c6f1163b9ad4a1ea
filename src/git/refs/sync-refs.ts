import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../files/sync-folder.ts";

/** Waits until what a git has written into a repository, packs and refs, is found there after a power cut. */
export async function syncPacksAndRefs(gitDirectory: string, refs: string): Promise<void> {
  await syncFolder(join(gitDirectory, "objects/pack"));
  await syncFolder(gitDirectory);
  const parts = refs.split("/").filter(Boolean);
  for (const [index] of parts.entries()) {
    const folder = join(gitDirectory, ...parts.slice(0, index + 1));
    // All may be in `packed-refs`.
    if ((await readdir(folder).catch(() => undefined)) !== undefined) await syncFolder(folder);
  }
}

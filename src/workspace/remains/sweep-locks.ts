import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { tryLock } from "../../database/index.ts";

/** Removes the lock files that processes left which are gone. Nothing waits for that: they would be taken as they are. */
export async function sweepLocks(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(".lock"))) {
    await (await tryLock(join(folder, name)))?.[Symbol.asyncDispose]();
  }
}

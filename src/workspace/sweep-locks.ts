import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { tryLock } from "../database/index.ts";

/** The locks of the store, of bases and of branches; a database beside them has a lock of its own. */
const OURS = /^(?:write|restore|index|notes|[0-9a-f]{32})\.lock$/u;

/** Removes the lock files that processes left which are gone. Nothing waits for that: they would be taken as they are. */
export async function sweepLocks(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => OURS.test(each))) {
    await (await tryLock(join(folder, name)))?.[Symbol.asyncDispose]();
  }
}

import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/index.ts";
import { isHeld, takeLock } from "./lock-file.ts";

/** Whoever makes a lock has written who it is by then. */
const WRITTEN_MS = 10_000;

/** The locks of the store, and those of directories; a database beside them has locks of its own kind. */
const OURS = /^(?:write|restore|index|notes|[0-9a-f]{32})\.lock(?:\.|$)/u;

/** Removes the locks of processes that are gone, and what they left of taking one. Those of directories are many. */
export async function sweepLocks(folder: string, clock: Clock): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => OURS.test(each))) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats || stats.mtimeMs > clock.now() - WRITTEN_MS) continue;
    if (await isHeld(await readFile(path, "utf8").catch(() => ""))) continue;
    if (!name.endsWith(".lock")) await rm(path, { force: true });
    // Somebody may be about to take it: only who holds it may remove it.
    else await (await takeLock(path, { clock, waitMs: -1 }).catch(() => undefined))?.[Symbol.asyncDispose]();
  }
}

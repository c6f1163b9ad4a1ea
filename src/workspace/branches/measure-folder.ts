import { readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { toBytePath, toSystemPath, type BytePath, lookAt, errorCode } from "../../git/index.ts";

/** How many bytes a folder takes on the disk, with all that is in it; what goes away meanwhile is not counted. */
export async function measureFolder(folder: string): Promise<number> {
  const waiting: BytePath[] = [toBytePath(folder)];
  let bytes = 0;
  for (let seen = 1; ; seen += 1) {
    const path = waiting.pop();
    if (path === undefined) return bytes;
    const stats = lookAt(toSystemPath(path));
    bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
    if (stats?.isDirectory()) waiting.push(...namesIn(path).map((name) => `${path}/${name}`));
    // The event loop belongs to others too.
    if (seen % 2000 === 0) await nextTurn();
  }
}

/** What `blocks` counts, whatever the file system's own blocks are. */
const BLOCK_BYTES = 512;

function namesIn(path: BytePath): readonly string[] {
  try {
    return readdirSync(toSystemPath(path), { encoding: "latin1" });
  } catch (error) {
    // The working folder of an overlay is closed even to its owner, and holds nothing to speak of.
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(errorCode(error))) return [];
    throw error;
  }
}

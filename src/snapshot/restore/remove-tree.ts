import { chmodSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { toBytePath, toSystemPath, type BytePath, lookAt, errorCode } from "../../git/index.ts";

/** Removes a folder and all that is in it, folders too that their owner may not write to as they are. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(errorCode(error))) throw error;
    openFolders(toBytePath(path));
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function openFolders(path: BytePath): void {
  const stats = lookAt(toSystemPath(path));
  if (!stats?.isDirectory()) return;
  if ((stats.mode & 0o700) !== 0o700) chmodSync(toSystemPath(path), 0o700);
  for (const name of readdirSync(toSystemPath(path), { encoding: "latin1" })) openFolders(`${path}/${name}`);
}

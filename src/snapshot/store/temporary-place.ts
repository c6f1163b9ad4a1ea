import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createId, PRIVATE_FOLDER } from "../../core/index.ts";
import { announcePresence, isPresent } from "../../database/index.ts";

/** A place for work in progress, below a workspace's folder; nothing is there yet. Its name says whose it is, so that others can clear it away. */
export async function temporaryPlace(home: string, what: string): Promise<string> {
  const owner = await announcePresence(presences(home));
  await mkdir(join(home, "temporary"), PRIVATE_FOLDER);
  return join(home, "temporary", `${what}-${owner}.${createId()}`);
}

/** Removes the work in progress of processes that are gone. */
export async function sweepTemporary(home: string): Promise<void> {
  const folder = join(home, "temporary");
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = /^[a-z]+-([\w-]+)\./u.exec(name)?.[1];
    if (owner === undefined || (await isPresent(presences(home), owner))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

function presences(home: string): string {
  return join(home, "processes");
}

import { rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createId, onceInProcess, PRIVATE_FOLDER } from "../core/internal.ts";
import { isLocked, sweepLocks, takeLock } from "./lock-file.ts";

/** What this process has announced, by folder: once is enough. */
const announced = onceInProcess("announced", () => new Map<string, Promise<string>>());

/**
 * Says in a folder that this process is there, for as long as it lives, and gives the name under which any process that shares the disk can
 * ask: a pid means nothing in another container. What processes left that are gone is cleared away.
 */
export function announcePresence(folder: string): Promise<string> {
  const known = announced.get(folder);
  if (known) return known;
  const made = announce(folder);
  announced.set(folder, made);
  made.catch(() => announced.delete(folder));
  return made;
}

/** Whether the process that announced itself under a name is still there. */
export async function isPresent(folder: string, name: string): Promise<boolean> {
  return await isLocked(place(folder, name));
}

async function announce(folder: string): Promise<string> {
  await mkdir(folder, PRIVATE_FOLDER);
  await sweepLocks(folder);
  const name = createId();
  await takeLock(place(folder, name));
  if (left.size === 0) process.once("exit", forgetAll);
  left.add(place(folder, name));
  return name;
}

/** The locks that go with this process: the kernel lets go of them, but their files would stay. */
const left = new Set<string>();

function forgetAll(): void {
  for (const path of [...left].flatMap((each) => [each, `${each}.holder`])) rmSync(path, { force: true });
}

function place(folder: string, name: string): string {
  return join(folder, `${name}.lock`);
}

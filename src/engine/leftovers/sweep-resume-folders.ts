import { lstat, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock, type Clock } from "../../core/index.ts";
import { isResumeFolder } from "./expected-remains.ts";

/** A process of another container that shares the folder for temporary files is not seen from here. */
const UNUSED_MS = 24 * 3_600_000;

/**
 * Removes folders in which the SDK gave a CLI a stored session and a copy of the credentials, where no process uses them any more: their host
 * was killed before it could put down that they are there (Linux). The SDK itself removes them when a CLI ends.
 */
export async function sweepResumeFolders(clock: Clock = systemClock): Promise<void> {
  if (process.platform !== "linux") return;
  const folder = tmpdir();
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name)).filter(isResumeFolder);
  const old: string[] = [];
  for (const path of paths) {
    const stats = await lstat(path).catch(() => undefined);
    const isOurs = stats?.isDirectory() === true && stats.uid === process.getuid?.();
    if (isOurs && stats.ctimeMs < clock.now() - UNUSED_MS) old.push(path);
  }
  if (old.length === 0) return;
  const environments = await readEnvironments();
  for (const path of old.filter((each) => !environments.some((text) => text.includes(each)))) {
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Removes the folders in which a session is laid out that no process uses: whoever was to go on with it is gone. */
export async function removeResumed(path: string): Promise<void> {
  const folder = dirname(path);
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name)).filter(isResumeFolder);
  const environments = paths.length === 0 ? [] : await readEnvironments();
  for (const each of paths) {
    const inside = await readdir(each, { recursive: true, withFileTypes: true }).catch(() => []);
    if (inside.every((entry) => entry.isDirectory())) await removeBegun(each);
    const isMeant = inside.some(({ name }) => name === `${basename(path)}.jsonl`);
    if (!isMeant || environments.some((text) => text.includes(each))) continue;
    await rm(each, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Removes a folder in which no session was laid out yet. Who made it this moment gets the time to write the first file. */
async function removeBegun(path: string): Promise<void> {
  await pause(1000);
  const projects = join(path, "projects");
  const keys = (await readdir(projects).catch(() => [])).map((name) => join(projects, name));
  for (const folder of [...keys, projects, path]) await rmdir(folder).catch(() => undefined);
}

async function readEnvironments(): Promise<readonly string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/u.test(name));
  return await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")));
}

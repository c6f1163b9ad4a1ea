import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

async function readEnvironments(): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  return await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")));
}

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { lstat, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../core/index.ts";
import { isResumeFolder, type Remains } from "./expected-remains.ts";
import { removeResumed } from "./sweep-resume-folders.ts";

/** How the list of a CLI is called, after its mark. */
const ENDING = "left";

/**
 * Puts down what a CLI may leave, for whoever clears away after it. One path a line: a shell reads it too. At once, for the CLI may be
 * killed at any moment; where it cannot be written, that costs the clearing away and not the run.
 */
export function writeRemainsList(folder: string, mark: string, remains: readonly Remains[]): void {
  const lines = remains.filter(({ path }) => !path.includes("\n")).map(({ kind, path }) => `${kind}:${path}\n`);
  const path = join(folder, `${mark}${ENDING}`);
  try {
    if (lines.length === 0) return rmSync(path, { force: true });
    mkdirSync(folder, PRIVATE_FOLDER);
    writeFileSync(path, lines.join(""), { mode: PRIVATE_FILE });
  } catch {
    // `skein doctor` tells of the folder.
  }
}

/**
 * Clears away what CLIs have left whose mark begins so, and forgets them. Nothing of theirs may run any more. What another CLI has put down as
 * well is left to that one: it may be the cover of a sandbox that is in use.
 */
export async function clearRemains(folder: string, mark: string, { wasKilled = true } = {}): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => LIST.test(name));
  const own = names.filter((name) => name.startsWith(mark));
  if (own.length === 0) return;
  const others = await Promise.all(names.filter((name) => !own.includes(name)).map((name) => readLines(folder, name)));
  const taken = new Set(others.flat());
  for (const name of own) {
    for (const line of await readLines(folder, name)) {
      const remains = parseLine(line);
      // A CLI that ended by itself keeps its folder, which the states of its turns may hold.
      const isLeft = remains && (wasKilled || remains.kind !== "hollow");
      if (isLeft && !taken.has(line)) await clear(remains);
    }
    await rm(join(folder, name), { force: true });
  }
}

/** A guardian takes a list by giving it another ending. */
const LIST = /\.left(?:\.taken)?$/u;

async function readLines(folder: string, name: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, name), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean);
}

function parseLine(line: string): Remains | undefined {
  const [, kind, path] = /^(empty|hollow|tree|resumed):(\/.+)$/u.exec(line) ?? [];
  return kind === undefined || path === undefined ? undefined : { kind: kind as Remains["kind"], path };
}

/** What cannot be removed is no reason to fail: whoever looks next finds it in the folder. */
async function clear({ kind, path }: Remains): Promise<void> {
  if (kind === "hollow") return await rmdir(path).catch(() => undefined);
  if (kind === "resumed") return await removeResumed(path);
  if (kind === "tree") {
    if (isResumeFolder(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    return;
  }
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile() && stats.size === 0) await rm(path, { force: true }).catch(() => undefined);
}

import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { lstat, readFile, readdir, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { PRIVATE_FILE, PRIVATE_FOLDER, privateView, systemClock, type Clock } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";

/** Something that a CLI leaves behind where it is killed, and removes by itself where it is not. */
interface Remains {
  /** A file that is empty, a folder that is empty, a folder with all that is in it, or a session that the SDK lays out in one. */
  readonly kind: "empty" | "hollow" | "tree" | "resumed";
  /** Of a session: its id, in the folder for temporary files. */
  readonly path: string;
}

export interface CliFolders extends Pick<ClaudeOptions, "cwd" | "additionalDirectories" | "sandbox"> {
  /** The folder in which a spare waits, which was made for it and is removed when it is claimed. */
  readonly parkedIn?: string | undefined;
}

/**
 * What the CLI's sandbox (2.1.325) covers in a folder, so that no command can write it: for what is not there, bubblewrap makes an empty
 * file to cover. `test/slow/killed-run.test.ts` kills the installed CLI and fails where a name is missing here.
 */
const COVERED = [
  ".mcp.json .gitconfig .gitmodules .bashrc .bash_profile .zshrc .zprofile .profile .ripgreprc .vscode .idea",
  ".claude/settings.json .claude/settings.local.json .claude/skills .claude/hooks .claude/launch.json .claude/workflows",
  ".claude/routines .claude/output-styles .claude/scheduled_tasks.json .claude/loop.md .claude/commands .claude/agents",
].flatMap((names) => names.split(" "));

/** Folders that it makes for itself, the inner one first. */
const OWN_FOLDERS = [".claude/.cc-writes", ".claude"];

/** How the SDK calls the folder in which it gives a CLI a stored session, together with a copy of the credentials. */
const RESUMED = /^claude-resume-[0-9a-f-]{36}$/u;

/** Tells before a CLI starts what it may leave: only what is not there now, so that nobody's own file is ever taken for it. */
export function expectedRemains(options: CliFolders, configFolder?: string): readonly Remains[] {
  const { cwd = ".", additionalDirectories = [], sandbox, parkedIn } = options;
  if (parkedIn !== undefined) return [{ kind: "hollow", path: parkedIn }];
  const folders = sandbox?.enabled ? [cwd, ...additionalDirectories] : [];
  const covered = folders.flatMap((folder) => coveredIn(resolve(privateView(folder) ?? folder)));
  if (configFolder === undefined || !isResumeFolder(configFolder)) return covered;
  return [...covered, { kind: "tree", path: configFolder }];
}

/** What the SDK may leave of a stored session before it starts the CLI that is to go on with it: nobody knows the folder's name yet. */
export function expectedResume(sessionId: string): readonly Remains[] {
  return /^[\w-]+$/u.test(sessionId) ? [{ kind: "resumed", path: join(tmpdir(), sessionId) }] : [];
}

function isResumeFolder(path: string): boolean {
  return RESUMED.test(basename(path)) && resolve(dirname(path)) === resolve(tmpdir());
}

function coveredIn(folder: string): readonly Remains[] {
  const covered = [...COVERED.map((name) => join(folder, name)), ...gitLocks(join(folder, ".git"))];
  const files = covered.map((path) => ({ kind: "empty" as const, path }));
  const own = OWN_FOLDERS.map((name) => ({ kind: "hollow" as const, path: join(folder, name) }));
  return [...files, ...own].filter(({ path }) => !lstatSync(path, { throwIfNoEntry: false }));
}

/** Of a repository it covers the lock of the configuration, too: left there, it would keep a person from changing that. */
function gitLocks(git: string): readonly string[] {
  const stats = lstatSync(git, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return [join(git, "config.lock")];
  const linked = stats?.isFile() ? LINKED.exec(readFileSync(git, "utf8"))?.[1] : undefined;
  return linked === undefined ? [] : [join(resolve(dirname(git), linked), "config.lock")];
}

/** A linked work tree names its own part of the repository, in whose configuration all of them have part. */
const LINKED = /^gitdir: (.+)\/worktrees\/[^/\n]+\n?$/u;

/**
 * Puts down what a CLI may leave, for whoever clears away after it. One path a line: a shell reads it too. At once, for the CLI may be
 * killed at any moment; where it cannot be written, that costs the clearing away and not the run.
 */
export function writeRemainsList(folder: string, mark: string, remains: readonly Remains[]): void {
  const lines = remains.filter(({ path }) => !path.includes("\n")).map(({ kind, path }) => `${kind}:${path}\n`);
  const path = join(folder, `${mark}left`);
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
  if (kind === "hollow") await rmdir(path).catch(() => undefined);
  if (kind === "resumed") await removeResumed(path);
  if (kind === "tree" && isResumeFolder(path)) await remove(path);
  const stats = kind === "empty" ? await lstat(path).catch(() => undefined) : undefined;
  if (stats?.isFile() && stats.size === 0) await rm(path, { force: true }).catch(() => undefined);
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

/** A process of another container that shares the folder for temporary files is not seen from here. */
const UNUSED_MS = 24 * 3_600_000;

/**
 * Removes folders in which the SDK gave a CLI a stored session and a copy of the credentials, where no process uses them any more: their host
 * was killed before it could put down that they are there (Linux). The SDK itself removes them when a CLI ends.
 */
export async function sweepResumeFolders(clock: Clock = systemClock): Promise<void> {
  if (process.platform !== "linux") return;
  const found = await ownResumeFolders(tmpdir());
  const old = found.filter(({ ctimeMs }) => ctimeMs < clock.now() - UNUSED_MS).map(({ path }) => path);
  if (old.length === 0) return;
  const environments = await readEnvironments();
  for (const path of old) if (!environments.some((text) => text.includes(path))) await remove(path);
}

/** Removes the folders in which a session is laid out that no process uses: whoever was to go on with it is gone. */
async function removeResumed(path: string): Promise<void> {
  const found = await ownResumeFolders(dirname(path));
  const environments = found.length === 0 ? [] : await readEnvironments();
  for (const { path: each } of found) {
    const inside = await readdir(each, { recursive: true, withFileTypes: true }).catch(() => []);
    if (inside.every((entry) => entry.isDirectory())) await removeBegun(each);
    const isMeant = inside.some(({ name }) => name === `${basename(path)}.jsonl`);
    if (isMeant && !environments.some((text) => text.includes(each))) await remove(each);
  }
}

/** Removes a folder in which no session was laid out yet. Who made it this moment gets the time to write the first file. */
async function removeBegun(path: string): Promise<void> {
  await pause(1000);
  const projects = join(path, "projects");
  const keys = (await readdir(projects).catch(() => [])).map((name) => join(projects, name));
  for (const folder of [...keys, projects, path]) await rmdir(folder).catch(() => undefined);
}

/** Such folders of this user; anybody may put a link of that name, to anywhere, among the temporary files. */
async function ownResumeFolders(folder: string) {
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name)).filter(isResumeFolder);
  const looked = await Promise.all(
    paths.map(async (path) => {
      const stats = await lstat(path).catch(() => undefined);
      return stats?.isDirectory() && stats.uid === process.getuid?.() ? { path, ctimeMs: stats.ctimeMs } : undefined;
    }),
  );
  return looked.filter((found) => found !== undefined);
}

async function readEnvironments(): Promise<readonly string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/u.test(name));
  return await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")));
}

import { lstatSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { privateView } from "../../core/index.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";

/** Something that a CLI leaves behind where it is killed, and removes by itself where it is not. */
export interface Remains {
  /** A file that is empty, a folder that is empty, a folder with all that is in it, or a session that the SDK lays out in one. */
  readonly kind: "empty" | "hollow" | "tree" | "resumed";
  /** Of a session: its id, in the folder for temporary files. */
  readonly path: string;
}

export type CliFolders = Pick<ClaudeOptions, "cwd" | "additionalDirectories" | "sandbox">;

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
  const { cwd = ".", additionalDirectories = [], sandbox } = options;
  const folders = sandbox?.enabled ? [cwd, ...additionalDirectories] : [];
  const covered = folders.flatMap((folder) => coveredIn(resolve(privateView(folder) ?? folder)));
  if (configFolder === undefined || !isResumeFolder(configFolder)) return covered;
  return [...covered, { kind: "tree", path: configFolder }];
}

/** What the SDK may leave of a stored session before it starts the CLI that is to go on with it: nobody knows the folder's name yet. */
export function expectedResume(sessionId: string): readonly Remains[] {
  return /^[\w-]+$/u.test(sessionId) ? [{ kind: "resumed", path: join(tmpdir(), sessionId) }] : [];
}

/** Whether a path is such a folder of the SDK's, and nothing else. */
export function isResumeFolder(path: string): boolean {
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

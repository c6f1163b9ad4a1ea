import { deepStrictEqual, notStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { SnapshotId } from "../snapshot/index.ts";
import type { StateId, Workspace } from "../workspace/internal.ts";
import { contractOf, write } from "./contract.ts";

const run = promisify(execFile);

/** Makes the directory that every check begins with. */
export async function prepareBranchBench(directory: string): Promise<void> {
  await git(directory, "init", "--quiet", "--initial-branch=main");
  await write(directory, ".gitignore", "node_modules\n*.log\n");
  for (const path of ["a.txt", "src/one.ts", "src/deep/two.ts", "run.sh"]) await write(directory, path, `${path}\n`);
  await chmod(join(directory, "run.sh"), 0o755);
  await symlink("a.txt", join(directory, "link"));
  await mkdir(join(directory, "empty"));
  await write(directory, "node_modules/left-pad/index.js", "module.exports = 1;\n");
  await git(directory, "add", "--all");
  await commit(directory, "one");
  await write(directory, "src/unstaged.ts", "not committed\n");
}

/** What every kind of branch keeps to, in a workspace that `prepareBranchBench` made and of which nothing was recorded yet. */
export const BRANCH_CONTRACT = contractOf<(bench: { readonly workspace: Workspace }) => Promise<void>>({
  async "is the state that it was made from, with its repository and what was carried"({ workspace }) {
    const state = await record(workspace);
    await write(workspace.view, "a.txt", "changed since\n");
    await using branch = await workspace.branch(state.id);
    strictEqual((await branch.snapshot()).id, state.snapshotId);
    strictEqual(await readFile(join(branch.view, "node_modules/left-pad/index.js"), "utf8"), "module.exports = 1;\n");
    strictEqual(await git(branch, "status", "--porcelain"), "?? src/unstaged.ts\n");
    deepStrictEqual(await workspace.diff(state.id, (await branch.snapshot()).id), []);
  },
  async "keeps what is done in it from the workspace and from other branches"({ workspace }) {
    const state = await record(workspace);
    const origin = await fingerprint(workspace.view);
    await using first = await workspace.branch(state.id);
    await using second = await workspace.branch(state.id);
    const sibling = await fingerprint(second.view);
    await damage(first);
    strictEqual(await fingerprint(workspace.view), origin);
    strictEqual(await fingerprint(second.view), sibling);
    await using third = await workspace.branch(state.id);
    strictEqual((await third.snapshot()).id, state.snapshotId);
    notStrictEqual((await first.snapshot()).id, (await second.snapshot()).id);
  },
  async "leaves its states readable after it is closed, and nothing else"({ workspace }) {
    const from = await record(workspace);
    const branch = await workspace.branch(from.id);
    await write(branch.view, "made/in-branch.txt", "made\n");
    await rm(join(branch.view, "src"), { recursive: true });
    const to = await record(branch);
    await branch.close();
    await branch.close();
    strictEqual((await workspace.read(to.id, "made/in-branch.txt")).toString(), "made\n");
    deepStrictEqual(
      (await workspace.diff(from.id, to.id)).map(({ type, path }) => `${type} ${path}`),
      ["created made/in-branch.txt", "deleted src/deep/two.ts", "deleted src/one.ts", "deleted src/unstaged.ts"],
    );
    deepStrictEqual(await readdir(join(workspace.home, "branches")), []);
    await rejects(rm(branch.view, { recursive: true }), "the branch's directory is still there");
  },
  async "can itself be branched from, and outlived by that branch"({ workspace }) {
    const parent = await workspace.branch((await record(workspace)).id);
    await write(parent.view, "a.txt", "in the parent\n");
    await git(parent, "add", "--all");
    await commit(parent, "in the parent");
    const state = await record(parent);
    await using child = await parent.branch(state.id);
    await parent.close();
    strictEqual(await git(child, "log", "--format=%s"), "in the parent\none\n");
    strictEqual(await git(child, "status", "--porcelain"), "");
    strictEqual((await child.snapshot()).id, state.snapshotId);
  },
  async "gives its commits to the workspace, which can then be restored to a state that stands at one"({ workspace }) {
    const branch = await workspace.branch((await record(workspace)).id);
    const refs = await git(workspace, "for-each-ref", "refs/heads", "refs/tags");
    await write(branch.view, "src/one.ts", "better\n");
    await git(branch, "add", "src/one.ts");
    await commit(branch, "two");
    const head = await git(branch, "rev-parse", "HEAD");
    const state = await record(branch);
    await branch.close();
    strictEqual(await git(workspace, "for-each-ref", "refs/heads", "refs/tags"), refs);
    strictEqual(await git(workspace, "log", "--format=%s"), "one\n");
    await workspace.restore(state.id);
    strictEqual(await git(workspace, "rev-parse", "HEAD"), head);
    strictEqual(await git(workspace, "log", "--format=%s"), "two\none\n");
    strictEqual(await git(workspace, "status", "--porcelain"), "?? src/unstaged.ts\n");
  },
  async "is restored to other states like any workspace"({ workspace }) {
    const first = await record(workspace);
    await write(workspace.view, "later.txt", "later\n");
    await rm(join(workspace.view, "src/unstaged.ts"));
    const second = await record(workspace);
    await using branch = await workspace.branch(second.id);
    await damage(branch);
    await branch.restore(first.id);
    strictEqual((await branch.snapshot()).id, first.snapshotId);
    await branch.restore(second.id);
    strictEqual((await branch.snapshot()).id, second.snapshotId);
  },
  async "is made many times over at once"({ workspace }) {
    const state = await record(workspace);
    const branches = await Promise.all(Array.from({ length: 8 }, () => workspace.branch(state.id)));
    strictEqual(new Set(branches.map(({ path }) => path)).size, 8);
    await Promise.all(branches.map((branch, index) => write(branch.view, "a.txt", `${index}\n`)));
    const states = await Promise.all(branches.map((branch) => record(branch)));
    await Promise.all(branches.map((branch) => branch.close()));
    const texts = states.map(async ({ id }) => (await workspace.read(id, "a.txt")).toString());
    deepStrictEqual(await Promise.all(texts), ["0\n", "1\n", "2\n", "3\n", "4\n", "5\n", "6\n", "7\n"]);
    deepStrictEqual(await readdir(join(workspace.home, "branches")), []);
  },
});

/** Records the files of a workspace or a branch as a state. */
async function record(workspace: Workspace): Promise<{ readonly id: StateId; readonly snapshotId: SnapshotId }> {
  const { id: snapshotId } = await workspace.snapshot();
  const state = {
    snapshotId,
    files: new Map([["state.json", "{}"]]),
    session: new Map(),
    message: "recorded",
    recordedAtMs: Date.now(),
  };
  return { id: (await workspace.states.write(state)).id, snapshotId };
}

/** Writes, deletes, changes modes, replaces files by folders and back, and commits. */
async function damage(branch: Workspace): Promise<void> {
  const { view: directory } = branch;
  await write(directory, "a.txt", "overwritten in place\n");
  await rm(join(directory, "src/deep"), { recursive: true });
  await write(directory, "src/deep", "a file now\n");
  await rm(join(directory, "link"));
  await write(directory, "link/inside", "a folder now\n");
  await chmod(join(directory, "run.sh"), 0o600);
  await chmod(join(directory, "src"), 0o700);
  await write(directory, "node_modules/left-pad/index.js", "module.exports = 2;\n");
  await git(branch, "add", "--all");
  await commit(branch, "damage");
  await git(branch, "branch", "another");
  await git(branch, "gc", "--quiet", "--prune=now");
}

/** Where a command runs: a plain directory, or a workspace that may have to be entered. */
type Place = string | Pick<Workspace, "view" | "enter">;

async function git(place: Place, ...args: string[]): Promise<string> {
  const argv = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@localhost", ...args];
  const [command = "", ...rest] = typeof place === "string" ? argv : place.enter(argv);
  const cwd = typeof place === "string" ? place : place.view;
  return (await run(command, rest, { cwd, env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" } })).stdout;
}

async function commit(place: Place, message: string): Promise<void> {
  await git(place, "commit", "--quiet", "--message", message);
}

/** Every file below a directory, with mode and content, as one hash: `.git` and ignored files too. */
async function fingerprint(directory: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(directory, { recursive: true })).toSorted()) {
    const stats = await lstat(join(directory, name));
    hash.update(`${name} ${stats.mode.toString(8)}\0`);
    if (stats.isFile()) hash.update(await readFile(join(directory, name)));
    if (stats.isSymbolicLink()) hash.update(await readlink(join(directory, name)));
  }
  return hash.digest("hex");
}

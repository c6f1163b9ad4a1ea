import { execFile } from "node:child_process";
import { execFileSync } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SkeinError } from "../../src/core/index.ts";
import { TraceIndex, verifyWorkspace } from "../../src/trace/index.ts";
import { readStateFile } from "../../src/trace/internal.ts";
import { loadConversations, Workspace } from "../../src/workspace/index.ts";
import { createForge } from "../support/forge-bundle.ts";
import { hostileBundle } from "../support/hostile-grammar.ts";

/** How many; fewer for a quick look. */
const BUNDLES = Number(process.env["SKEIN_HOSTILE_BUNDLES"] ?? 2000);
const FIRST = Number(process.env["SKEIN_HOSTILE_SEED"] ?? 1);

let root: string;
let workspace: Workspace;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-hostile-")));
  await mkdir(join(root, "workspace"));
  await writeFile(join(root, "outside"), "untouched");
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: join(root, "workspace") });
  git("init", "--quiet", "--initial-branch=main");
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "-m", "first");
  workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

test(
  "no bundle writes outside of the workspace, hangs, fills the memory, or ends in an error without a kind",
  async () => {
    const before = await outside();
    const tally = { taken: 0, refused: 0, restored: 0, slowestMs: 0 };
    const wrong: string[] = [];
    for (let seed = FIRST; seed < FIRST + BUNDLES; seed += 1) {
      const startedMs = performance.now();
      const told = await tryBundle(seed, tally);
      const tookMs = performance.now() - startedMs;
      tally.slowestMs = Math.max(tally.slowestMs, Math.round(tookMs));
      if (tookMs > 60_000) wrong.push(`${seed}: took ${Math.round(tookMs)} ms`);
      if (JSON.stringify(await outside()) !== JSON.stringify(before)) wrong.push(`${seed}: wrote outside`);
      if (process.memoryUsage().rss > 1.5e9) wrong.push(`${seed}: ${process.memoryUsage().rss} bytes of memory`);
      wrong.push(...told.map((line) => `${seed}: ${line}`));
      if (wrong.length > 20) break;
    }
    process.stdout.write(`${JSON.stringify(tally)}\n`);
    expect(wrong).toEqual([]);
    expect(tally.taken).toBeGreaterThan(BUNDLES / 50);
    expect(tally.restored).toBeGreaterThan(BUNDLES / 200);
    // Nothing is damaged, and nothing is missed: each that was taken in was removed on purpose, whatever name it gave itself. The files
    // may stand at one that cannot be read, which is told.
    const { problems } = await verifyWorkspace(workspace);
    expect(problems.filter((problem) => !/^the state [0-9a-f]{40} cannot be read/u.test(problem))).toEqual([]);
  },
  BUNDLES * 5000,
);

test("a few kilobytes that stand for hundreds of megabytes do not fill the memory", async () => {
  const forge = createForge();
  const files = forge.add("tree", Buffer.alloc(700 * 1024 * 1024));
  const file = join(root, "large.bundle");
  await writeFile(
    file,
    forge.bundle({
      "refs/skein/conversations/large": forge.state({ parts: { files: { mode: "40000", oid: files } } }),
    }),
  );
  expect((await lstat(file)).size).toBeLessThan(1024 * 1024);
  await expect(loadConversations(workspace, file)).rejects.toMatchObject({ kind: "parse" });
  expect(await workspace.states.conversations()).toEqual(new Map());
}, 120_000);

/** Does with a bundle what a person may: takes it in, lists, restores, makes a branch of it. Gives what went wrong. */
async function tryBundle(
  seed: number,
  tally: { taken: number; refused: number; restored: number },
): Promise<readonly string[]> {
  const { content, conversationId } = hostileBundle(seed);
  const file = join(root, "forged.bundle");
  await writeFile(file, content);
  const wrong: string[] = [];
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof SkeinError))
        wrong.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
      return false;
    }
  };
  if (!(await attempt("load", () => loadConversations(workspace, file)))) tally.refused += 1;
  else {
    tally.taken += 1;
    const tip = (await workspace.states.tip(conversationId)) ?? "";
    await attempt("log", async () => {
      await using index = await TraceIndex.open(workspace);
      await index.query({ limit: 20 });
    });
    await attempt("show", () => readStateFile(workspace.states, tip));
    if (await attempt("restore", () => workspace.restore(tip))) tally.restored += 1;
    const made = join(root, "made");
    await attempt("branch", async () => (await workspace.branch(tip, made)).close());
    await rm(made, { recursive: true, force: true });
    await attempt("remove", () => workspace.states.removeConversation(conversationId));
  }
  await attempt("snapshot after it", async () => {
    await workspace.snapshot();
    wrong.push(...(await setuidFiles(workspace.path)));
  });
  return wrong;
}

/** Everything that a bundle must leave alone, with what it holds. */
async function outside(): Promise<readonly string[]> {
  const names = (await readdir(root)).filter(
    (name) => !["home", "workspace", "made", "forged.bundle", "large.bundle"].includes(name),
  );
  const git = ["config", "hooks", "info", "description"].map((name) => join(root, "workspace/.git", name));
  const told = [];
  for (const path of [...names.map((name) => join(root, name)), ...git, "/tmp/skein-owned"])
    told.push(`${path} ${await look(path)}`);
  return told;
}

async function look(path: string): Promise<string> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return "none";
  if (stats.isSymbolicLink()) return `link ${await readlink(path)}`;
  return stats.isDirectory() ? `folder ${(await readdir(path)).join(" ")}` : `file ${await readFile(path, "utf8")}`;
}

/** By a program that follows no link: one of them may lead to the root of the machine. */
async function setuidFiles(directory: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)("find", ["-P", directory, "-type", "f", "-perm", "/6000"]);
  return stdout.split("\n").flatMap((path) => (path === "" ? [] : [`${path} runs as its owner`]));
}

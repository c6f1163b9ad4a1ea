import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { lstatSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createGitSnapshotStore } from "skein/workspace";
import { median } from "./statistics.ts";

const run = promisify(execFile);

/** Measures snapshots of generated trees beside `git status`, `cp -a` and the walk that is the floor, all in one run. */
export async function benchSnapshots(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [files, rounds] of [
    [1_000, 7],
    [10_000, 5],
    [50_000, 3],
  ] as const) {
    lines.push(...(await benchTree(files, rounds)));
  }
  return lines;
}

async function benchTree(files: number, rounds: number): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-snapshots-"));
  try {
    const directory = join(root, "workspace");
    const paths = await makeTree(directory, files);
    const unseededMs = await timeFirst(join(root, "home-unseeded"), directory);
    const addMs = await timed(() => makeRepository(directory));
    await run("git", ["repack", "-adq"], { cwd: directory });
    const seededMs = await timeFirst(join(root, "home-seeded"), directory);
    const copyMs = files > 10_000 ? undefined : await timed(() => run("cp", ["-a", directory, join(root, "copy")]));
    await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home-seeded") });
    const { id } = await store.capture(directory);
    const times: Record<"status" | "walk" | "same" | "edited" | "restore", number[]> = {
      status: [],
      walk: [],
      same: [],
      edited: [],
      restore: [],
    };
    for (let round = 0; round < rounds; round += 1) {
      times.status.push(await timed(() => run("git", ["status", "--porcelain"], { cwd: directory })));
      times.walk.push(await timed(async () => walk(directory)));
      times.same.push(await timed(() => store.capture(directory)));
      await edit(directory, paths, round);
      times.edited.push(await timed(() => store.capture(directory)));
      times.restore.push(await timed(() => store.restore(id, directory)));
    }
    const status = median(times.status);
    const line = (name: string, ms: number): string =>
      `snapshots, ${files} files, ${name}: ${ms.toFixed(0)} ms, ${(ms / status).toFixed(2)} × git status`;
    return [
      line("git status", status),
      line("stat walk in Node", median(times.walk)),
      line("first, without a repository", unseededMs),
      line("first, seeded from the repository", seededMs),
      line("git add and commit, for comparison", addMs),
      line("unchanged", median(times.same)),
      line("after 20 edits", median(times.edited)),
      line("restore of 20 edits, proven", median(times.restore)),
      ...(copyMs === undefined ? [] : [line("cp -a", copyMs)]),
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Folders of twenty files of about a kilobyte. */
async function makeTree(directory: string, files: number): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let index = 0; index < files; index += 1) {
    const folder = `package-${Math.floor(index / 400)}/src-${Math.floor(index / 20)}`;
    if (index % 20 === 0) await mkdir(join(directory, folder), { recursive: true });
    paths.push(`${folder}/file-${index}.ts`);
  }
  for (const [index, path] of paths.entries()) {
    await writeFile(join(directory, path), `export const value${index} = ${index * 7919};\n`.repeat(30));
  }
  return paths;
}

async function makeRepository(directory: string): Promise<void> {
  const git = (...args: string[]): Promise<unknown> =>
    run("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args], { cwd: directory });
  await git("init", "--quiet");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "all");
}

async function timeFirst(home: string, directory: string): Promise<number> {
  await using store = await createGitSnapshotStore({ workspace: directory, home });
  return await timed(() => store.capture(directory));
}

async function edit(directory: string, paths: readonly string[], round: number): Promise<void> {
  for (let index = 0; index < 20; index += 1) {
    const path = paths[Math.floor((index * paths.length) / 20) + round];
    if (path !== undefined) await appendFile(join(directory, path), `// round ${round}\n`);
  }
}

/** What nobody can do without: a look at every file. */
function walk(directory: string): number {
  let seen = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) seen += entry.name === ".git" ? 0 : walk(path);
    else seen += lstatSync(path).isFile() ? 1 : 0;
  }
  return seen;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { lstatSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import { createGitSnapshotStore } from "skein/workspace";
import { settle, timed } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { median } from "./harness/median.ts";
import { row, type Aim, type Row } from "./harness/row.ts";
import { makeTree } from "./make-tree.ts";

const run = promisify(execFile);

/** All in one run, with the same trees. */
export const snapshots: Bench = {
  name: "snapshots",
  summary: "snapshots and restores of generated trees beside what git and cp do with the same trees",
  async run(tell) {
    const rows: Row[] = [];
    for (const [files, rounds] of [
      [1_000, 11],
      [10_000, 7],
      [50_000, 5],
    ] as const) {
      tell(`${files} files`);
      rows.push(...(await benchTree(files, rounds)));
    }
    tell("how the store grows");
    return [...rows, await benchGrowth()];
  },
};

async function benchTree(files: number, rounds: number): Promise<readonly Row[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-snapshots-"));
  try {
    const directory = join(root, "workspace");
    const paths = await makeTree(directory, files);
    const unseededMs = await timeFirst(join(root, "home-unseeded"), directory);
    const addMs = await timed(() => makeRepository(directory));
    await run("git", ["repack", "-adq"], { cwd: directory });
    const seededMs = median([
      await timeFirst(join(root, "home-once"), directory),
      await timeFirst(join(root, "home-again"), directory),
      await timeFirst(join(root, "home-seeded"), directory),
    ]);
    const times = await timeRounds(root, { directory, paths, rounds });
    // Making files is slow and uneven; once is enough to tell the order of magnitude.
    const isSmall = files <= 10_000;
    const copies = isSmall ? await timeCopies(root, directory) : [];
    const status = median(times.status);
    const beside = { name: "git status", value: status };
    const figure = (name: string, what: string, ours: number, aim?: Aim): Row =>
      row({
        name: `${name}-${files}`,
        what: `${what}, ${files.toLocaleString("en-US")} files`,
        ours,
        unit: "ms",
        beside,
        ...(aim && { aim }),
      });
    return [
      figure("snapshot-seeded", "first snapshot, seeded from the repository", seededMs, { of: "ratio", atMost: 4 }),
      figure("snapshot-edited", "snapshot after 20 edits", median(times.edited), { of: "ratio", atMost: 1.5 }),
      figure("restore", "restore of 20 edits, proven", median(times.restore), { of: "ratio", atMost: 2 }),
      figure("snapshot-same", "snapshot, unchanged", median(times.same)),
      row({
        ...figure("snapshot-unseeded", "first snapshot, without a repository", unseededMs),
        beside: { name: "git add and commit", value: addMs },
      }),
      figure("git-add", "git add and write-tree of the same 20 edits, on an index of its own", median(times.stash)),
      figure("walk", "stat walk in Node", median(times.walk)),
      ...copies.map(([name, ms]) => figure(name, name, ms)),
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

type Times = Readonly<Record<"status" | "walk" | "same" | "edited" | "stash" | "restore", number[]>>;

interface Rounds {
  readonly directory: string;
  readonly paths: readonly string[];
  readonly rounds: number;
}

/** One of each in turn, so that what else the machine does falls on all alike. */
async function timeRounds(root: string, { directory, paths, rounds }: Rounds): Promise<Times> {
  await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home-seeded") });
  const { id } = await store.capture(directory);
  const index = join(root, "index");
  const env = { ...process.env, GIT_INDEX_FILE: index };
  await run("cp", [join(directory, ".git/index"), index]);
  const times: Times = { status: [], walk: [], same: [], edited: [], stash: [], restore: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.status.push(await timed(() => run("git", ["status", "--porcelain"], { cwd: directory })));
    times.walk.push(await timed(async () => walk(directory)));
    times.same.push(await timed(() => store.capture(directory)));
    await edit(directory, paths, { count: 20, round });
    times.edited.push(await timed(() => store.capture(directory)));
    times.stash.push(
      await timed(async () => {
        await run("git", ["add", "--all"], { cwd: directory, env });
        await run("git", ["write-tree"], { cwd: directory, env });
      }),
    );
    times.restore.push(await timed(() => store.restore(id, directory)));
  }
  return times;
}

async function timeCopies(root: string, directory: string): Promise<readonly (readonly [string, number])[]> {
  const copyMs = await timed(() => run("cp", ["-a", directory, join(root, "copy")]));
  const worktree = ["worktree", "add", "--quiet", "--detach", join(root, "worktree")];
  return [
    ["cp -a", copyMs],
    ["git worktree add", await timed(() => run("git", worktree, { cwd: directory }))],
  ];
}

/** How much larger the store grows than the changed contents are when each is compressed by itself. */
async function benchGrowth(): Promise<Row> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-growth-"));
  try {
    const directory = join(root, "workspace");
    const home = join(root, "home");
    const paths = await makeTree(directory, 1_000);
    for (const path of paths) await writeFile(join(directory, path), words(path));
    let beforeBytes = 0;
    let changedBytes = 0;
    {
      await using store = await openStore(directory, home);
      await store.capture(directory);
      beforeBytes = bytesInObjects(home);
      for (let round = 0; round < 100; round += 1) {
        for (const path of await edit(directory, paths, { count: 5, round: round % 50 })) {
          changedBytes += deflateSync(await readFile(join(directory, path))).length;
        }
        await store.capture(directory);
      }
    }
    const addedBytes = bytesInObjects(home) - beforeBytes;
    return row({
      name: "store-growth",
      what: "what 100 snapshots of 5 edits each add to the store",
      ours: addedBytes / 1024,
      unit: "KiB",
      beside: { name: "the changed contents, compressed", value: changedBytes / 1024 },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function openStore(directory: string, home: string): ReturnType<typeof createGitSnapshotStore> {
  return createGitSnapshotStore({ workspace: directory, home });
}

/** Some kilobytes that compress about as well as source text does. */
function words(seed: string): string {
  const digest = (line: number): string => createHash("sha256").update(`${seed} ${line}`).digest("base64url");
  return Array.from(
    { length: 60 },
    (_, line) => `export const name${line} = "${digest(line).slice(0, 12)}"; // and more\n`,
  ).join("");
}

/** Folders of twenty files of about a kilobyte. */
async function makeRepository(directory: string): Promise<void> {
  const git = (...args: string[]): Promise<unknown> =>
    run("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args], { cwd: directory });
  await git("init", "--quiet");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "all");
}

async function timeFirst(home: string, directory: string): Promise<number> {
  await using store = await openStore(directory, home);
  await settle();
  return await timed(() => store.capture(directory));
}

/** Edits files that lie far apart, others in each round, and gives their paths. */
async function edit(
  directory: string,
  paths: readonly string[],
  { count, round }: { readonly count: number; readonly round: number },
): Promise<readonly string[]> {
  const edited: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const path = paths[Math.floor((index * paths.length) / count) + round];
    if (path === undefined) continue;
    await appendFile(join(directory, path), `// round ${round}, ${performance.now()}\n`);
    edited.push(path);
  }
  return edited;
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

function bytesInObjects(home: string): number {
  let bytes = 0;
  for (const entry of readdirSync(home, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && entry.parentPath.includes("store.git/"))
      bytes += lstatSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}

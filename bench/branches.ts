import { execFile } from "node:child_process";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Workspace } from "skein/workspace";
import { makeTree } from "./make-tree.ts";
import { median } from "./statistics.ts";

const run = promisify(execFile);

/** Copying this many files takes so long that their time is reckoned from fewer. */
const MOST_COPIED = 10_000;

/** Measures branches of generated trees beside what git and cp do with the same trees, all in one run. */
export async function benchBranches(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [files, rounds] of [
    [1_000, 9],
    [10_000, 9],
    [50_000, 9],
  ] as const) {
    lines.push(...(await benchTree(files, rounds)));
  }
  return lines;
}

async function benchTree(files: number, rounds: number): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-branches-"));
  try {
    const directory = join(root, "workspace");
    const paths = await makeTree(directory, files);
    await makeRepository(directory);
    await using workspace = await Workspace.open(directory, { home: join(root, "home") });
    const state = await record(workspace);
    const times = await timeRounds(workspace, { state, paths, rounds });
    const copies = files <= MOST_COPIED ? await timeCopies(root, directory) : [];
    const rows: readonly (readonly [string, number])[] = [
      ["first", times.first],
      ["next", median(times.next)],
      ["capture after 20 edits", median(times.capture)],
      ["drop", median(times.drop)],
      ...copies,
    ];
    return rows.map(([name, ms]) => `branches (${times.kind}), ${files} files, ${name}: ${ms.toFixed(0)} ms`);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

interface Rounds {
  readonly state: string;
  readonly paths: readonly string[];
  readonly rounds: number;
}

interface Times extends Readonly<Record<"next" | "capture" | "drop", number[]>> {
  readonly kind: string;
  readonly first: number;
}

async function timeRounds(workspace: Workspace, { state, paths, rounds }: Rounds): Promise<Times> {
  const startedMs = performance.now();
  await using held = await workspace.branch(state);
  const first = performance.now() - startedMs;
  const times = { kind: held.branchKind ?? "", first, next: [], capture: [], drop: [] } as Times;
  for (let round = 0; round < rounds; round += 1) {
    const madeMs = performance.now();
    const branch = await workspace.branch(state);
    times.next.push(performance.now() - madeMs);
    for (let edit = 0; edit < 20; edit += 1) {
      const path = paths[Math.floor((edit * paths.length) / 20) + round] ?? "";
      await appendFile(join(branch.path, path), `// round ${round}, ${performance.now()}\n`);
    }
    times.capture.push(await timed(() => branch.snapshot()));
    times.drop.push(await timed(() => branch.close()));
  }
  return times;
}

async function timeCopies(root: string, directory: string): Promise<readonly (readonly [string, number])[]> {
  const worktree = ["worktree", "add", "--quiet", "--detach", join(root, "worktree")];
  return [
    ["cp -a, for comparison", await timed(() => run("cp", ["-a", directory, join(root, "copy")]))],
    ["git worktree add, for comparison", await timed(() => run("git", worktree, { cwd: directory }))],
  ];
}

async function record(workspace: Workspace): Promise<string> {
  const { id: snapshotId } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId, files, session: new Map(), message: "bench", recordedAtMs: 0 };
  return (await workspace.states.write(state)).id;
}

async function makeRepository(directory: string): Promise<void> {
  const git = (...args: string[]): Promise<unknown> =>
    run("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args], { cwd: directory });
  await git("init", "--quiet");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "all");
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

import { execFile } from "node:child_process";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Workspace, type BranchKind } from "skein/workspace";
import { timed } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { median } from "./harness/median.ts";
import { row, type Row } from "./harness/row.ts";
import { makeTree } from "./make-tree.ts";

const run = promisify(execFile);

const SIZES: readonly number[] = [1_000, 10_000, 50_000];
const ROUNDS = 9;

/** All in one run, with the same trees. */
export const branches: Bench = {
  name: "branches",
  summary: "branches of generated trees beside what git and cp do with the same trees",
  async run(tell) {
    const rows: Row[] = [];
    for (const files of SIZES) {
      tell(`${files} files`);
      rows.push(...(await benchTree(files)));
    }
    return rows;
  },
};

async function benchTree(files: number): Promise<readonly Row[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-branches-"));
  try {
    const directory = join(root, "workspace");
    const paths = await makeTree(directory, files);
    await makeRepository(directory);
    const best = await timeBranches(root, directory, paths);
    const copies = await timeCopies(root, directory);
    const kinds = [best];
    // Root's own overlays are the best there are; an ordinary user has these.
    if (best.kind === "overlay") kinds.push(await timeBranches(root, directory, paths, "private-overlay"));
    return kinds.flatMap((times) => rowsOf(files, times, copies));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

interface Times extends Readonly<Record<"first" | "next" | "capture" | "drop", number>> {
  readonly kind: string;
}

interface Copies {
  readonly cpMs: number;
  readonly worktreeMs: number;
}

function rowsOf(files: number, { kind, ...times }: Times, { cpMs, worktreeMs }: Copies): readonly Row[] {
  const of = `${files.toLocaleString("en-US")} files, ${kind}`;
  const figure = (name: string, what: string, ours: number) =>
    ({ name: `${name}-${kind}-${files}`, what: `${what}, ${of}`, ours, unit: "ms" }) as const;
  const worktree = { name: "git worktree add", value: worktreeMs };
  const copy = { name: "cp -a", value: cpMs };
  return [
    row({
      ...figure("first-branch", "first branch of a state, with its base", times.first),
      beside: worktree,
      aim: { of: "ratio", atMost: 1.2 },
    }),
    row({ ...figure("first-branch-beside-cp", "the same", times.first), beside: copy }),
    row({ ...figure("next-branch", "next branch", times.next), beside: worktree }),
    row({ ...figure("branch-snapshot", "its snapshot after 20 edits", times.capture), beside: copy }),
    row({ ...figure("drop-branch", "dropping it", times.drop) }),
  ];
}

/** The first branch of a state, and the medians of those that follow. */
async function timeBranches(
  root: string,
  directory: string,
  paths: readonly string[],
  kind?: BranchKind,
): Promise<Times> {
  // Each kind has a home of its own, so that each makes its base.
  const home = await mkdtemp(join(root, "home-"));
  await using workspace = await Workspace.open(directory, { home, branches: { kind } });
  const state = await record(workspace);
  const startedMs = performance.now();
  await using held = await workspace.branch(state);
  const first = performance.now() - startedMs;
  const times = { next: [], capture: [], drop: [] } as Record<"next" | "capture" | "drop", number[]>;
  for (let round = 0; round < ROUNDS; round += 1) {
    const madeMs = performance.now();
    const branch = await workspace.branch(state);
    times.next.push(performance.now() - madeMs);
    for (let edit = 0; edit < 20; edit += 1) {
      const path = paths[Math.floor((edit * paths.length) / 20) + round] ?? "";
      await appendFile(join(branch.view, path), `// round ${round}, ${performance.now()}\n`);
    }
    times.capture.push(await timed(() => branch.snapshot()));
    times.drop.push(await timed(() => branch.close()));
  }
  const { next, capture, drop } = times;
  return { kind: held.branchKind ?? "", first, next: median(next), capture: median(capture), drop: median(drop) };
}

async function timeCopies(root: string, directory: string): Promise<Copies> {
  const worktree = ["worktree", "add", "--quiet", "--detach", join(root, "worktree")];
  return {
    cpMs: await timed(() => run("cp", ["-a", directory, join(root, "copy")])),
    worktreeMs: await timed(() => run("git", worktree, { cwd: directory })),
  };
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

import { execFile } from "node:child_process";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Workspace, type BranchKind } from "skein/workspace";
import { alternate, settle, timed } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { median } from "./harness/median.ts";
import { row, type Row } from "./harness/row.ts";
import { makeTree } from "./make-tree.ts";

const run = promisify(execFile);

/** How many files, and how often the first branch of a state is made of them: each makes its base. */
const SIZES = [
  [1_000, 3],
  [10_000, 2],
  [50_000, 1],
] as const;
const ROUNDS = 9;

/** All in one run, with the same trees. */
export const branches: Bench = {
  name: "branches",
  summary: "branches of generated trees beside what git and cp do with the same trees",
  async run(tell) {
    const rows: Row[] = [];
    for (const [files, firsts] of SIZES) {
      tell(`${files} files`);
      rows.push(...(await benchTree(files, firsts)));
    }
    return rows;
  },
};

async function benchTree(files: number, rounds: number): Promise<readonly Row[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-branches-"));
  try {
    const directory = join(root, "workspace");
    const paths = await makeTree(directory, files);
    await makeRepository(directory);
    const best = await timeLater(root, directory, paths);
    const all = [best];
    // Root's own overlays are the best there are; an ordinary user has these.
    if (best.kind === "overlay") all.push(await timeLater(root, directory, paths, "private-overlay"));
    const firsts = all.map(({ kind }) => [kind, () => timeFirst(root, directory, kind)] as const);
    const worktree = (): Promise<Figure> => timeWorktree(root, directory);
    const times = await alternate<string, "ms">(rounds, { worktree, ...Object.fromEntries(firsts) });
    const copies = { cpMs: await timeCopy(root, directory), worktreeMs: times["worktree"]?.ms ?? Number.NaN };
    return all.flatMap((later) => rowsOf(files, { ...later, first: times[later.kind]?.ms ?? Number.NaN }, copies));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

interface Figure {
  readonly ms: number;
}

interface LaterTimes extends Readonly<Record<"next" | "capture" | "drop", number>> {
  readonly kind: BranchKind;
}

interface Times extends LaterTimes {
  readonly first: number;
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

/** The first branch of a state in a home of its own, which writes the base that others share. */
async function timeFirst(root: string, directory: string, kind: BranchKind): Promise<Figure> {
  const home = await mkdtemp(join(root, "home-"));
  try {
    await using workspace = await Workspace.open(directory, { home, branches: { kind } });
    const state = await record(workspace);
    await settle();
    const startedMs = performance.now();
    await using _ = await workspace.branch(state);
    return { ms: performance.now() - startedMs };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The medians of the branches that follow the first one. */
async function timeLater(
  root: string,
  directory: string,
  paths: readonly string[],
  kind?: BranchKind,
): Promise<LaterTimes> {
  const home = await mkdtemp(join(root, "home-"));
  await using workspace = await Workspace.open(directory, { home, branches: { kind } });
  const state = await record(workspace);
  await using held = await workspace.branch(state);
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
  if (held.branchKind === undefined) throw new Error("The branch has no kind");
  return { kind: held.branchKind, next: median(next), capture: median(capture), drop: median(drop) };
}

async function timeWorktree(root: string, directory: string): Promise<Figure> {
  const path = join(root, "worktree");
  await settle();
  const ms = await timed(() => run("git", ["worktree", "add", "--quiet", "--detach", path], { cwd: directory }));
  await run("git", ["worktree", "remove", "--force", path], { cwd: directory });
  return { ms };
}

async function timeCopy(root: string, directory: string): Promise<number> {
  await settle();
  return await timed(() => run("cp", ["-a", directory, join(root, "copy")]));
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

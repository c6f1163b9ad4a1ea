// Run by an ordinary user on the built package: keeps branches to their contract, with the kind that is found by trying, and
// runs the real CLI in one. Prints what it found as one line of JSON; fails where a check does.
import { deepStrictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const room = (name) => import(new URL(`../../dist/${name}/index.js`, import.meta.url).href);
const { loadScenario } = await room("offline");
const { ClaudeEnvironment, commandReward } = await room("search");
const { BRANCH_CONTRACT, prepareBranchBench, startOfflineAgent } = await room("testing");
const { Workspace } = await room("workspace");

/** Ways to the workspace's own files from a branch that is shown in their place. */
const ESCAPES = [
  "for each in /proc/[0-9]*; do echo x > $each/root$PWD/taken; done",
  `echo x > /proc/${process.pid}/cwd/taken`,
  'for each in /proc/[0-9]*; do nsenter -t "${each#/proc/}" -m touch "$PWD/taken"; done',
  `nsenter -t ${process.pid} -U -m --preserve-credentials touch $PWD/taken`,
  "umount -l $PWD && touch $PWD/taken",
  'unshare -rm sh -c \'umount -l "$1"; touch "$1/taken"\' sh "$PWD"',
  `for each in /proc/${process.pid}/fd/*; do touch $each/taken $each/work/taken; done`,
];

const root = mkdtempSync(join(tmpdir(), "skein-as-user-"));
try {
  const kinds = new Set();
  for (const [index, { name, check }] of BRANCH_CONTRACT.entries()) {
    const directory = join(root, `workspace-${index}`);
    mkdirSync(directory);
    await prepareBranchBench(directory);
    await use(await Workspace.open(directory, { home: join(root, "home") }), async (workspace) => {
      process.stderr.write(`${name}\n`);
      await check({ workspace });
      kinds.add(await kindOf(workspace));
    });
  }
  const [kind] = kinds;
  deepStrictEqual([...kinds], [canMountInNamespace() ? "private-overlay" : kind]);
  const sandbox = { enabled: true, autoAllowBashIfSandboxed: true, network: { allowedDomains: [] } };
  const turns = [await runTurn({ allowedTools: ["Bash"] }), await runTurn({ sandbox })];
  process.stdout.write(`${JSON.stringify({ kind, checks: BRANCH_CONTRACT.length, turns })}\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** This runs on plain Node, where `await using` is not known before version 24. */
async function use(thing, work) {
  try {
    return await work(thing);
  } finally {
    await thing.close();
  }
}

/** Which kind of branch the workspace makes. */
async function kindOf(workspace) {
  const { id: snapshotId } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId, files, session: new Map(), message: "kind", recordedAtMs: 0 };
  const { id } = await workspace.states.write(state);
  return await use(await workspace.branch(id), async ({ branchKind }) => branchKind);
}

/** The same mount as Skein's, by hand. */
function canMountInNamespace() {
  const folder = mkdtempSync(join(root, "probe-"));
  for (const name of ["lower", "upper", "work", "merged"]) mkdirSync(join(folder, name));
  const mount = "mount -t overlay probe -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged";
  try {
    const args = ["-Um", "--map-current-user", "--keep-caps", "sh", "-c", mount];
    execFileSync("unshare", args, { cwd: folder, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** One exploration by the real CLI, judged by a command, and what came of it. */
async function runTurn(options) {
  const started = await startOfflineAgent(await loadScenario("direct"), options);
  return await use(started, async ({ cwd, engine }) => {
    const setup = { engine, workspace: { home: join(root, "home") } };
    return await use(await ClaudeEnvironment.open(cwd, setup), async (environment) => {
      // Not on the command line, where the CLI itself would refuse it.
      writeFileSync(join(cwd, "escape.sh"), [...ESCAPES, "touch tried", ""].join("\n"));
      const start = await environment.checkpoint("start");
      const prompt = 'Bash {"command":"pwd > where.txt; sh escape.sh"}';
      const judge = commandReward('test "$(cat where.txt)" = "$(pwd)" && test -e tried');
      const { state, reward } = await environment.exploreFrom(start, prompt, { judge });
      const where = (await environment.workspace.read(state.id, "where.txt")).toString().trim();
      const taken = readdirSync(cwd).includes("taken") || readdirSync(process.cwd()).includes("taken");
      return { isAtWorkspace: where === cwd, reward: reward?.value, taken };
    });
  });
}

import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { groupBy, identify, isRunning, systemClock, type Clock, type ProcessIdentity } from "../../core/internal.ts";

/**
 * The processes of a CLI and its tools. Children are found by their parent: a command can clear its environment, and with it the
 * mark, but in the sandbox it cannot leave the tree. What left the tree outside of the sandbox is found by the mark, with its own children.
 */
export async function findFamily(root: number | undefined, mark: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return await findMarked(mark);
  const pids = await listProcesses();
  const [parents, areMarked] = await Promise.all([
    Promise.all(pids.map(readParent)),
    Promise.all(pids.map((pid) => hasMark(pid, mark))),
  ]);
  const roots = pids.filter((pid, index) => pid === root || (areMarked[index] && pid !== process.pid));
  return [...descendants(roots, new Map(pids.map((pid, index) => [pid, parents[index] ?? 0])))];
}

/** Processes with their start, so that they can be ended later although their parents are gone by then. */
export async function identifyFamily(root: number | undefined, mark: string): Promise<readonly ProcessIdentity[]> {
  const found = await Promise.all((await findFamily(root, mark)).map(identify));
  return found.filter((identity) => identity !== undefined);
}

/** A process that is killed is gone within milliseconds, unless the kernel itself is stuck with it. */
const MAX_ROUNDS = 500;

export async function endAll(identities: readonly ProcessIdentity[], clock: Clock = systemClock): Promise<void> {
  for (const identity of identities) {
    for (let round = 0; round < MAX_ROUNDS && (await isRunning(identity)); round += 1) {
      kill(identity.pid);
      await clock.sleep(5);
    }
  }
}

function descendants(roots: readonly number[], parents: ReadonlyMap<number, number>): ReadonlySet<number> {
  const children = groupBy(parents.keys(), (pid) => parents.get(pid));
  const found = new Set(roots);
  // What is added while the set is gone through is come to as well.
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child);
  return found;
}

async function readParent(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // The name stands in brackets and may hold anything; the state follows, then the parent.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

/** Rounds of looking and killing: a process may start a child while it is being looked for. */
const SEARCH_ROUNDS = 50;

/** The variable that marks a process as Skein's: the host's id, a dot, and the number of the CLI that started it. */
export const MARK_VARIABLE = "SKEIN_PROCESS";

/**
 * Ends every process whose mark begins so, and resolves when none is left. The tools' children lead process groups of
 * their own and outlive their parent, so neither group nor parent finds them: what they inherited does. It also makes
 * sure that a process of somebody else, with a pid that was used before, is never touched.
 */
export async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    const pids = await findMarked(mark);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
  }
}

export async function findMarked(mark: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return await findByPs(`${MARK_VARIABLE}=${mark}`);
  const pids = (await listProcesses()).filter((pid) => pid !== process.pid);
  const found = await Promise.all(pids.map((pid) => hasMark(pid, mark)));
  return pids.filter((_, index) => found[index]);
}

async function hasMark(pid: number, mark: string): Promise<boolean> {
  // Another user's process, or one that just ended, is not ours. A dead one that nobody waited for has no environment.
  const env = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return env.split("\0").some((variable) => variable.startsWith(`${MARK_VARIABLE}=${mark}`));
}

async function findByPs(wanted: string): Promise<readonly number[]> {
  if (process.platform === "win32") return [];
  const { stdout } = await promisify(execFile)("ps", ["-axeww", "-o", "pid=,command="], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = stdout.split("\n").filter((line) => line.split(" ").some((word) => word.startsWith(wanted)));
  return lines.map((line) => Number.parseInt(line, 10)).filter((pid) => pid !== process.pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function listProcesses(): Promise<readonly number[]> {
  return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
}

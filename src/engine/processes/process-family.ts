import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { groupBy, identify, isRunning, systemClock, type Clock, type ProcessIdentity } from "../../core/internal.ts";

/**
 * The processes of a CLI and its tools. Children are found by their parent: a command can clear its environment, and with it the
 * mark, but in the sandbox it cannot leave the tree. What left the tree outside of the sandbox is found by the mark, with its own children.
 */
export async function findFamily(root: number | undefined, mark: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return await findMarked(mark);
  const all = await listProcesses();
  const marked = await withMark(root === undefined ? all : bornSinceOwn(all), mark);
  const roots = all.filter(({ pid }) => pid === root || marked.has(pid)).map(({ pid }) => pid);
  return [...descendants(roots, new Map(all.map(({ pid, parent }) => [pid, parent])))];
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

/** Rounds of looking and killing: a process may start a child while it is being looked for. */
const SEARCH_ROUNDS = 50;

/** The variable that marks a process as Skein's: the host's id, a dot, and the number of the CLI that started it. */
export const MARK_VARIABLE = "SKEIN_PROCESS";

interface MarkOptions {
  /** It is a mark of this process: what was there before it has none. */
  readonly isOwn?: boolean;
}

/**
 * Ends every process whose mark begins so, and resolves when none is left. The tools' children lead process groups of
 * their own and outlive their parent, so neither group nor parent finds them: what they inherited does. It also makes
 * sure that a process of somebody else, with a pid that was used before, is never touched.
 */
export async function endMarked(mark: string, { isOwn = false }: MarkOptions = {}): Promise<void> {
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    const pids = await findMarked(mark, { isOwn });
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
  }
}

export async function findMarked(mark: string, { isOwn = false }: MarkOptions = {}): Promise<readonly number[]> {
  if (process.platform !== "linux") return await findByPs(`${MARK_VARIABLE}=${mark}`);
  const all = await listProcesses();
  return [...(await withMark(isOwn ? bornSinceOwn(all) : all, mark))];
}

/** This process is not of its own family. */
async function withMark(listed: readonly Listed[], mark: string): Promise<ReadonlySet<number>> {
  const others = listed.filter(({ pid }) => pid !== process.pid);
  const areMarked = await Promise.all(others.map(({ pid }) => hasMark(pid, mark)));
  return new Set(others.filter((_, index) => areMarked[index]).map(({ pid }) => pid));
}

/** A mark of this process is inherited by what was started after it: of a hundred others, most need not be asked for their environment. */
function bornSinceOwn(listed: readonly Listed[]): readonly Listed[] {
  const own = listedOf("self").bornAtTicks;
  return listed.filter(({ bornAtTicks }) => bornAtTicks >= own);
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

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly bornAtTicks: number;
}

/** What the kernel says at once is read at once: by waits, it would take ten times as long of the processor. */
async function listProcesses(): Promise<readonly Listed[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.map((pid) => ({ ...listedOf(pid), pid }));
}

function listedOf(name: number | "self"): Omit<Listed, "pid"> {
  const stat = readStat(name);
  // The name stands in brackets and may hold anything; the state follows, then the parent, and the start as the twentieth after the name.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(fields[1] ?? 0), bornAtTicks: Number(fields[19] ?? 0) };
}

function readStat(name: number | "self"): string {
  try {
    return readFileSync(`/proc/${name}/stat`, "latin1");
  } catch {
    return "";
  }
}

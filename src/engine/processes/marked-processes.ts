import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Rounds of looking and killing: a process may start a child while it is being looked for. */
const MAX_ROUNDS = 50;

/** The variable that marks a process as Skein's: the host's id, a dot, and the number of the CLI that started it. */
export const MARK_VARIABLE = "SKEIN_PROCESS";

/**
 * Ends every process whose mark begins so, and resolves when none is left. The tools' children lead process groups of
 * their own and outlive their parent, so neither group nor parent finds them: what they inherited does. It also makes
 * sure that a process of somebody else, with a pid that was used before, is never touched.
 */
export async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const pids = await findMarked(mark);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
  }
}

/** The processes whose mark begins so. */
export async function findMarked(mark: string): Promise<readonly number[]> {
  const found = process.platform === "linux" ? await findInProc(mark) : await findByPs(`${MARK_VARIABLE}=${mark}`);
  return found.filter((pid) => pid !== process.pid);
}

async function findInProc(mark: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => hasMark(pid, mark)));
  return pids.filter((_, index) => found[index]);
}

/** Whether the mark of a process begins so (Linux). */
export async function hasMark(pid: number, mark: string): Promise<boolean> {
  // Another user's process, or one that just ended, is not ours. A dead one that nobody waited for has no environment.
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return environment.split("\0").some((variable) => variable.startsWith(`${MARK_VARIABLE}=${mark}`));
}

async function findByPs(wanted: string): Promise<readonly number[]> {
  if (process.platform === "win32") return [];
  const { stdout } = await run("ps", ["-axeww", "-o", "pid=,command="], { maxBuffer: 64 * 1024 * 1024 });
  const lines = stdout.split("\n").filter((line) => line.split(" ").some((word) => word.startsWith(wanted)));
  return lines.map((line) => Number.parseInt(line, 10));
}

/** Ends a process, if it is still there. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

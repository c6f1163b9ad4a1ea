import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Rounds of looking and killing: a process may start a child while it is being looked for. */
const MAX_ROUNDS = 20;

/**
 * Ends every process whose environment holds the mark, and resolves when none is left. The tools' children lead
 * process groups of their own and outlive their parent, so neither the group nor the parent finds them: what they
 * inherited does.
 */
export async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const pids = await findMarked(mark);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
  }
}

/** The processes whose environment holds the mark. */
export async function findMarked(mark: string): Promise<readonly number[]> {
  return process.platform === "linux" ? await findInProc(mark) : await findByPs(mark);
}

async function findInProc(mark: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => hasMark(pid, mark)));
  return pids.filter((pid, index) => found[index] && pid !== process.pid);
}

async function hasMark(pid: number, mark: string): Promise<boolean> {
  // Another user's process, or one that just ended, is not ours. A dead one that nobody waited for has no environment.
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return environment.split("\0").includes(mark);
}

async function findByPs(mark: string): Promise<readonly number[]> {
  const { stdout } = await run("ps", ["-axeww", "-o", "pid=,command="], { maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .split("\n")
    .filter((line) => line.split(" ").includes(mark))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid !== process.pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

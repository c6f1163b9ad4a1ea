import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A process for certain: pids are used again, a pid with its start is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own words. */
  readonly startTime: string;
}

/** Tells a process by pid and start; undefined where there is none. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startTime = process.platform === "linux" ? await startInProc(pid) : await startByPs(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

/** Whether that very process is running; a dead one that nobody waited for is not. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.startTime === identity.startTime;
}

async function startInProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // The name stands in brackets and may hold anything; the state follows, the start is the 20th after it.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (!fields || fields[0] === "Z") return undefined;
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => "");
  return `${bootId.trim()}:${fields[19]}`;
}

async function startByPs(pid: number): Promise<string | undefined> {
  if (process.platform === "win32") return isThere(pid) ? "unknown" : undefined;
  const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.trim() || undefined;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

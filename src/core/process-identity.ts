import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";
import { z } from "zod";
import { parseJson } from "./jsonl.ts";

const run = promisify(execFile);

export const ProcessIdentitySchema = z.object({
  pid: z.int().positive(),
  /** When it started, in the system's own words. */
  startTime: z.string(),
  /** Where the pid counts: a container or another machine has pids of its own. */
  namespace: z.string().optional(),
});

/** A process for certain: pids are used again, a pid with its start is not. */
export type ProcessIdentity = Readonly<z.infer<typeof ProcessIdentitySchema>>;

/** Tells a process by pid and start; undefined where there is none. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startTime = process.platform === "linux" ? await startInProc(pid) : await startByPs(pid);
  return startTime === undefined ? undefined : { pid, startTime, namespace: await ownNamespace() };
}

export function parseProcessIdentity(text: string): ProcessIdentity | undefined {
  return ProcessIdentitySchema.safeParse(parseJson(text)).data;
}

/** Whether that very process is running, and is no zombie. One of another container or machine cannot be judged, and counts as running. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  if (await isElsewhere(identity)) return true;
  return (await identify(identity.pid))?.startTime === identity.startTime;
}

/** Whether a process belongs to another container or machine, where nothing can be told of it by its pid. */
export async function isElsewhere({ namespace }: ProcessIdentity): Promise<boolean> {
  return namespace !== undefined && namespace !== (await ownNamespace());
}

export async function describeProcess(identity: ProcessIdentity): Promise<string> {
  const [host = "another host"] = identity.namespace?.split(" ") ?? [];
  return (await isElsewhere(identity)) ? `process ${identity.pid} of ${host}` : `process ${identity.pid}`;
}

/** The first namespace of every machine has the same name, so the host's belongs to it. */
async function ownNamespace(): Promise<string> {
  const pids = await readlink("/proc/self/ns/pid").catch(() => "");
  return `${hostname()} ${pids}`.trim();
}

async function startInProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // The name stands in brackets and may hold anything; the state follows, the start is the 20th after it.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (!fields || fields[0] === "Z") return undefined;
  return `${(await bootInProc()) ?? ""}:${fields[19]}`;
}

async function bootInProc(): Promise<string | undefined> {
  const text = await readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => "");
  return text.trim() || undefined;
}

/** Changes when the machine starts anew; undefined where the system does not tell. */
export async function bootId(): Promise<string | undefined> {
  const known = await bootInProc();
  if (known !== undefined) return known;
  const asked = await run("sysctl", ["-n", "kern.bootsessionuuid"]).catch(() => undefined);
  return asked?.stdout.trim() || undefined;
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

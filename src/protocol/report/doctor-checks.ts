import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import {
  closeFolders,
  createId,
  dataHome,
  defined,
  findOpenFolders,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
} from "../../core/internal.ts";
import {
  checkHealth,
  detectMemoryLimiting,
  findLeftovers,
  reapLeftovers,
  type HealthCheck,
} from "../../engine/internal.ts";
import { detectSandbox, sandboxRemedy } from "../../isolation/internal.ts";
import { findDamagedWorkspaces, mendWorkspaceFile } from "../../snapshot/index.ts";
import type { CallContext } from "../command/command.ts";

const execute = promisify(execFile);

const LEAST_NODE = [20, 19] as const;
const LEAST_GIT = [2, 39] as const;

export const Check = z.strictObject({
  name: z
    .enum([
      "node",
      "git",
      "claude-cli",
      "credentials",
      "endpoint",
      "breakers",
      "sandbox",
      "memory-limit",
      "data-folder",
      "workspaces",
      "disk",
      "processes",
    ])
    .describe("What was looked at"),
  status: z
    .enum(["ok", "warn", "fail", "unchecked"])
    .describe(
      "Whether it is well, is worth a warning, or keeps agents from running; `unchecked`: it was not tried, and nothing is known of it",
    ),
  detail: z.string().describe("What was found"),
  fix: z.string().optional().describe("What to do about it; absent where there is nothing to be done"),
});
export type Check = z.infer<typeof Check>;

interface Checked extends Pick<CallContext, "env" | "signal"> {
  readonly folder: string;
  readonly fix: boolean;
}

/** Looks at everything that Skein needs on this machine, in the order in which it is needed. */
export async function runChecks({ env, signal }: Pick<CallContext, "env" | "signal">, fix: boolean): Promise<Check[]> {
  const checked: Checked = { env, signal, folder: dataHome(), fix };
  // What a turn needs is looked at by the engine; here it is only told in doctor's words.
  const { checks } = await checkHealth({ env, dataFolder: checked.folder });
  const ofTurns = (...names: readonly string[]): Check[] =>
    names.flatMap((name) => checks.filter((check) => check.name === name).map(toCheck));
  const found: Check[] = [
    { name: "node", ...checkVersion("Node", process.versions.node, LEAST_NODE) },
    { name: "git", ...(await checkGit(checked)) },
    ...ofTurns("claude-cli", "credentials", "endpoint"),
    { name: "sandbox", ...(await checkSandbox(checked)) },
    { name: "memory-limit", status: "ok", detail: await describeMemoryLimit() },
    { name: "data-folder", ...(await checkDataFolder(checked)) },
    { name: "workspaces", ...(await checkWorkspaces(checked)) },
    ...ofTurns("disk"),
    { name: "processes", ...(await checkProcesses(checked)) },
  ];
  signal.throwIfAborted();
  return found;
}

type Finding = Omit<Check, "name">;

async function checkGit({ env, signal }: Checked): Promise<Finding> {
  try {
    const { stdout } = await execute("git", ["--version"], { env, signal, timeout: 10_000 });
    return checkVersion("git", /\d+\.\d+(?:\.\d+)*/u.exec(stdout)?.[0] ?? stdout.trim(), LEAST_GIT);
  } catch {
    return checkVersion("git", "not found", LEAST_GIT);
  }
}

function checkVersion(what: string, version: string, [major, minor]: readonly [number, number]): Finding {
  const [foundMajor = 0, foundMinor = 0] = version.split(".").map(Number);
  const isNewEnough = foundMajor > major || (foundMajor === major && foundMinor >= minor);
  if (isNewEnough) return { status: "ok", detail: version };
  return { status: "fail", detail: version, fix: `Install ${what} ${major}.${minor} or newer.` };
}

function toCheck({ name, level, detail, fix }: HealthCheck): Check {
  const status = { healthy: "ok", unknown: "unchecked", warning: "warn", critical: "warn", failed: "fail" } as const;
  return { name, status: status[level], detail, ...defined({ fix }) };
}

async function checkSandbox({ env }: Checked): Promise<Finding> {
  const trouble = sandboxRemedy(await detectSandbox({ path: env["PATH"] }));
  if (!trouble) return { status: "ok", detail: "available" };
  const fix = `To get one, ${trouble.remedy}; until then Bash commands need permission.`;
  return { status: "warn", detail: trouble.reason, fix };
}

async function describeMemoryLimit(): Promise<string> {
  const limiting = await detectMemoryLimiting();
  return limiting === "samples"
    ? "enforced by watching the agent's processes: no control group is available"
    : `enforced by the kernel, with a control group (${limiting.replace("-", " ")})`;
}

async function checkDataFolder({ folder, fix }: Checked): Promise<Finding> {
  const probe = join(folder, `.probe-${createId()}`);
  try {
    await mkdir(folder, PRIVATE_FOLDER);
    await writeFile(probe, "", { mode: PRIVATE_FILE });
    await rm(probe);
    return await checkPrivacy(folder, fix);
  } catch (error) {
    return {
      status: "fail",
      detail: (error as Error).message,
      fix: "Make it writable, or set SKEIN_HOME to a writable folder.",
    };
  }
}

/** What agents were told and did lies there, and copies of files that only their owner may read. */
async function checkPrivacy(folder: string, fix: boolean): Promise<Finding> {
  const open = await findOpenFolders(folder);
  if (open.length === 0) return { status: "ok", detail: folder };
  const detail = `${folder} is open to other users of this machine (${open.length} folders)`;
  if (!fix) return { status: "warn", detail, fix: "Run skein doctor --fix to close it." };
  await closeFolders(open);
  return { status: "ok", detail: `${detail}: closed` };
}

/** A power cut could tear the file that says whose a store is; without it no command opens the store. */
async function checkWorkspaces({ folder, fix }: Checked): Promise<Finding> {
  const damaged = await findDamagedWorkspaces(folder);
  if (damaged.length === 0) return { status: "ok", detail: "all can be opened" };
  const mended = fix ? damaged.flatMap(({ home, path }) => (path === undefined ? [] : [{ home, path }])) : [];
  for (const { home, path } of mended) await mendWorkspaceFile(home, path);
  const left = damaged.length - mended.length;
  const detail = `${damaged.length} with a damaged workspace.json${mended.length === 0 ? "" : `, ${mended.length} repaired`}`;
  if (left === 0) return { status: "ok", detail };
  const how = fix ? "a command such as skein log in its directory" : "skein doctor --fix";
  const homes = damaged.map(({ home }) => home).join(", ");
  return { status: "warn", detail: `${detail}: ${homes}`, fix: `Run ${how} to repair it.` };
}

async function checkProcesses({ folder, fix }: Checked): Promise<Finding> {
  const leftovers = await findLeftovers(folder);
  const count = leftovers.reduce((sum, { pids }) => sum + pids.length, 0);
  if (fix) await reapLeftovers(leftovers);
  if (count === 0) return { status: "ok", detail: "none left behind" };
  if (fix) return { status: "ok", detail: `${count} left behind by a killed host: ended` };
  const detail = `${count} left behind by a killed host`;
  return { status: "warn", detail, fix: "Run skein doctor --fix to end them." };
}

import { execFile } from "node:child_process";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { createId, toSkeinError } from "../core/index.ts";
import { detectCredentials, detectSandbox, findCli } from "../engine/index.ts";

const execute = promisify(execFile);

const LEAST_NODE = [20, 19] as const;
const LEAST_GIT = [2, 39] as const;
const LEAST_DISK_BYTES = 1024 ** 3;

/** One thing that was looked at. */
export const Check = z.strictObject({
  name: z.enum(["node", "git", "claude-cli", "credentials", "sandbox", "data-folder", "disk"]),
  status: z.enum(["ok", "warn", "fail"]),
  detail: z.string(),
  /** What to do, where something is wrong. */
  fix: z.string().optional(),
});

/** One thing that was looked at. */
export type Check = z.infer<typeof Check>;

/** What the checks look at. */
export interface Checked {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dataHome: string;
  readonly signal: AbortSignal;
}

/** Looks at everything that Skein needs on this machine, in the order in which it is needed. */
export async function runChecks(checked: Checked): Promise<Check[]> {
  return [
    checkNode(),
    await checkGit(checked),
    await checkCli(),
    await checkCredentials(checked),
    await checkSandbox(checked),
    await checkDataFolder(checked),
    await checkDisk(checked),
  ];
}

function checkNode(version: string = process.versions.node): Check {
  if (isAtLeast(version, LEAST_NODE)) return { name: "node", status: "ok", detail: version };
  return { name: "node", status: "fail", detail: version, fix: `Install Node ${LEAST_NODE.join(".")} or newer.` };
}

async function checkGit({ env, signal }: Checked): Promise<Check> {
  const fix = `Install git ${LEAST_GIT.join(".")} or newer.`;
  try {
    const { stdout } = await execute("git", ["--version"], { env, signal, timeout: 10_000 });
    const version = /\d+\.\d+(?:\.\d+)*/u.exec(stdout)?.[0] ?? stdout.trim();
    if (isAtLeast(version, LEAST_GIT)) return { name: "git", status: "ok", detail: version };
    return { name: "git", status: "fail", detail: version, fix };
  } catch {
    return { name: "git", status: "fail", detail: "not found", fix };
  }
}

async function checkCli(): Promise<Check> {
  try {
    const { path, version } = await findCli();
    return { name: "claude-cli", status: "ok", detail: `${version} at ${path}` };
  } catch (error) {
    const { message, hint } = toSkeinError(error);
    return { name: "claude-cli", status: "fail", detail: message, ...(hint === undefined ? {} : { fix: hint }) };
  }
}

async function checkCredentials({ env }: Checked): Promise<Check> {
  const kinds = await detectCredentials(env);
  if (kinds.length > 0) return { name: "credentials", status: "ok", detail: kinds.join(", ") };
  return {
    name: "credentials",
    status: "warn",
    detail: "none",
    fix: "Set ANTHROPIC_API_KEY, or log in once with the claude command; without either, --offline works.",
  };
}

async function checkSandbox({ env }: Checked): Promise<Check> {
  const { available, missing } = await detectSandbox(env["PATH"]);
  if (available) return { name: "sandbox", status: "ok", detail: "available" };
  const detail = missing.length === 0 ? "not on this system" : `missing: ${missing.join(", ")}`;
  const fix =
    missing.length === 0
      ? "Allow Bash commands by name, or run in a container."
      : `Install ${missing.join(" and ")}; until then Bash commands need permission.`;
  return { name: "sandbox", status: "warn", detail, fix };
}

async function checkDataFolder({ dataHome }: Checked): Promise<Check> {
  const probe = join(dataHome, `.probe-${createId()}`);
  try {
    await mkdir(dataHome, { recursive: true });
    await writeFile(probe, "");
    await rm(probe);
    return { name: "data-folder", status: "ok", detail: dataHome };
  } catch (error) {
    return {
      name: "data-folder",
      status: "fail",
      detail: (error as Error).message,
      fix: "Make it writable, or set SKEIN_HOME to a folder that is.",
    };
  }
}

async function checkDisk({ dataHome }: Checked): Promise<Check> {
  const found = await statfs(dataHome).catch(() => undefined);
  if (!found) return { name: "disk", status: "warn", detail: "unknown: the data folder cannot be read" };
  const freeBytes = found.bavail * found.bsize;
  const detail = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`;
  if (freeBytes >= LEAST_DISK_BYTES) return { name: "disk", status: "ok", detail };
  return { name: "disk", status: "warn", detail, fix: "Free some space: recorded work may not fit." };
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split(".").map(Number);
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}

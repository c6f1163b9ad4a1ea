import { execFile } from "node:child_process";
import { access, constants, readlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { defined } from "../../core/internal.ts";

/** Whether Bash commands can be confined on this machine, and why not. */
export interface SandboxSupport {
  readonly available: boolean;
  /** The Debian packages that are missing. */
  readonly missing: readonly string[];
  /** What was said when a sandbox was tried, where the packages are there and one could not be made. */
  readonly failure?: string;
}

interface DetectSandboxOptions {
  /** Where programs are looked for. */
  readonly path?: string | undefined;
  /** Whether the weaker sandbox will do, which has no /proc of its own. */
  readonly isWeaker?: boolean;
}

const LINUX_PACKAGES = { bwrap: "bubblewrap", socat: "socat" };

/** What the CLI will ask of bubblewrap, at its smallest: namespaces for users, processes and the network. */
const NAMESPACES = ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev"];

/** Tells one network from another: a command that was really confined names one that is not the host's. */
const NETWORK = "/proc/self/ns/net";

/** How long a trial may take on a busy machine. */
const TRIAL_TIMEOUT_MS = 20_000;

/**
 * Tries the CLI's sandbox by making one: on macOS it is part of the system, on Linux it takes two packages that work, and a kernel that
 * allows namespaces, which containers and hardened machines may not. Everybody who needs to know asks here.
 */
export async function detectSandbox(options: DetectSandboxOptions = {}): Promise<SandboxSupport> {
  if (process.platform === "darwin") return { available: true, missing: [] };
  if (process.platform !== "linux") return { available: false, missing: [] };
  const { path = process.env["PATH"] ?? "", isWeaker = false } = options;
  const missing: string[] = [];
  for (const [command, packageName] of Object.entries(LINUX_PACKAGES)) {
    if (!(await isOnPath(command, path))) missing.push(packageName);
  }
  if (missing.length > 0) return { available: false, missing };
  const failure = (await tryBubblewrap(path, isWeaker)) ?? (await run("socat", ["-V"], path)).failure;
  return { available: failure === undefined, missing, ...defined({ failure }) };
}

/** Why there is no sandbox, in a few words, and what can be done about it. */
export type SandboxRemedy = { readonly reason: string; readonly remedy: string };

/** Says why a sandbox cannot be had and what to do; for one that can be had there is nothing to say. */
export function sandboxRemedy({ available, missing, failure }: SandboxSupport): SandboxRemedy | undefined {
  if (available) return undefined;
  if (missing.length > 0)
    return { reason: `missing: ${missing.join(", ")}`, remedy: `install ${missing.join(" and ")}` };
  if (failure === undefined) return { reason: "not on this system", remedy: "use Linux or macOS" };
  return {
    reason: `this machine does not allow one: ${failure}`,
    remedy:
      "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or start the " +
      "container with --security-opt seccomp=unconfined --security-opt systempaths=unconfined",
  };
}

async function tryBubblewrap(path: string, isWeaker: boolean): Promise<string | undefined> {
  const proc = isWeaker ? ["--bind", "/proc", "/proc"] : ["--proc", "/proc"];
  const { stdout, failure } = await run("bwrap", [...NAMESPACES, ...proc, "readlink", NETWORK], path);
  if (failure !== undefined) return failure;
  const host = await readlink(NETWORK).catch(() => "");
  const isConfined = stdout.startsWith("net:[") && stdout.trim() !== host;
  return isConfined ? undefined : "bwrap ran, but did not confine its command";
}

async function run(command: string, args: readonly string[], path: string) {
  const limits = { env: { PATH: path }, timeout: TRIAL_TIMEOUT_MS, killSignal: "SIGKILL" } as const;
  return await new Promise<{ readonly stdout: string; readonly failure?: string }>((resolve) =>
    execFile(command, args, limits, (error, stdout, stderr) => {
      const said = stderr.trim() || `ended with ${error?.code ?? error?.signal ?? "an error"}`;
      if (!error) resolve({ stdout });
      else if (error.killed) resolve({ stdout, failure: `${command} did not finish in ${TRIAL_TIMEOUT_MS / 1000} s` });
      else resolve({ stdout, failure: said.startsWith(`${command}:`) ? said : `${command}: ${said}` });
    }),
  );
}

async function isOnPath(command: string, path: string): Promise<boolean> {
  const tries = path.split(delimiter).map((folder) => access(join(folder, command), constants.X_OK));
  return await Promise.any(tries).then(
    () => true,
    () => false,
  );
}

import { stat } from "node:fs/promises";
import { SkeinError } from "../../core/internal.ts";
import type { ClaudeOptions } from "../../engine/internal.ts";
import type { IsolationConfig } from "../isolation-config.ts";
import { isUnrestricted } from "../network-policy.ts";
import { borrowedObjects } from "../secrets/closed-store.ts";
import { foldersToDeny } from "./readable-folders.ts";

/** Gives the command that runs another within bounds. */
export type Confine = (argv: readonly string[]) => readonly string[];

/** What a command that Skein runs for an agent's work may reach, beside the directory that it works in. */
interface CommandBounds {
  readonly closed: readonly string[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** All of it or nothing: a list of hosts takes the CLI's proxy, which is not there. */
  readonly hasNetwork: boolean;
  /** For containers that allow no new /proc. */
  readonly keepsProc: boolean;
}

/** Holds commands to the bounds of an isolation. */
export async function confineAsIsolated(config: IsolationConfig, directory: string): Promise<Confine> {
  const { sandbox, networkPolicy } = config;
  if (!sandbox.enabled) return (argv) => argv;
  return await confine(directory, {
    closed: [...(await foldersToDeny()), ...sandbox.deniedPaths],
    readable: sandbox.readablePaths,
    writable: sandbox.writablePaths,
    hasNetwork: isUnrestricted(networkPolicy),
    keepsProc: sandbox.enableWeakerNestedSandbox,
  });
}

/** Holds commands to the sandbox that an agent's own commands run in; where it has none, they run as they are. */
export async function confineAsAgent({ sandbox }: ClaudeOptions, directory: string): Promise<Confine> {
  if (!sandbox?.enabled) return (argv) => argv;
  const { filesystem = {}, network = {} } = sandbox;
  return await confine(directory, {
    closed: filesystem.denyRead ?? [],
    readable: filesystem.allowRead ?? [],
    writable: filesystem.allowWrite ?? [],
    hasNetwork: network.allowedDomains?.includes("*") ?? false,
    keepsProc: sandbox.enableWeakerNestedSandbox ?? false,
  });
}

async function confine(directory: string, bounds: CommandBounds): Promise<Confine> {
  if (process.platform !== "linux") {
    throw new SkeinError("Commands that check an agent's work can be confined on Linux only", {
      kind: "config",
      target: "sandbox",
      hint: "Turn the sandbox off to run them as they are",
    });
  }
  const closed = await Promise.all(bounds.closed.map(hide));
  const proc = bounds.keepsProc ? "--bind /proc /proc" : "--proc /proc";
  const options = [
    ...`--die-with-parent --unshare-pid --unshare-ipc --ro-bind / / --dev /dev ${proc}`.split(" "),
    ...(bounds.hasNetwork ? [] : ["--unshare-net"]),
    ...closed.flat(),
    ..."--tmpfs /tmp".split(" "),
    ...[...bounds.readable, ...(await borrowedObjects(directory))].flatMap((path) => ["--ro-bind-try", path, path]),
    ...bounds.writable.flatMap((path) => ["--bind-try", path, path]),
    "--bind",
    directory,
    directory,
    "--chdir",
    directory,
    ..."--setenv TMPDIR /tmp".split(" "),
  ];
  return (argv) => ["bwrap", ...options, "--", ...argv];
}

async function hide(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return [];
  return found.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

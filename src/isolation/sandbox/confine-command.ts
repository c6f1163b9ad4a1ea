import { stat } from "node:fs/promises";
import { SkeinError } from "../../core/internal.ts";
import type { IsolationConfig } from "../isolation-config.ts";
import { isUnrestricted } from "../network-policy.ts";
import { borrowedObjects } from "../secrets/closed-store.ts";
import { foldersToDeny } from "./readable-folders.ts";

/** Gives the command that runs another within bounds. */
export type Confine = (argv: readonly string[]) => readonly string[];

/**
 * Holds a command that Skein itself runs to the bounds of an isolation: it writes in its directory alone, sees nothing of the user's, and has
 * no network unless all of it is allowed: a list of hosts takes the CLI's proxy, which is not there. Linux only.
 */
export async function confineCommand({ sandbox, networkPolicy }: IsolationConfig, directory: string): Promise<Confine> {
  if (!sandbox.enabled) return (argv) => argv;
  if (process.platform !== "linux") {
    throw new SkeinError("Commands of one's own can be confined on Linux only", { kind: "config", target: "sandbox" });
  }
  const closed = await Promise.all([...(await foldersToDeny()), ...sandbox.deniedPaths].map(hide));
  const readable = [...sandbox.readablePaths, ...(await borrowedObjects(directory))];
  const proc = sandbox.enableWeakerNestedSandbox ? "--bind /proc /proc" : "--proc /proc";
  const bounds = [
    ...`--die-with-parent --unshare-pid --unshare-ipc --ro-bind / / --dev /dev ${proc}`.split(" "),
    ...(isUnrestricted(networkPolicy) ? [] : ["--unshare-net"]),
    ...closed.flat(),
    "--tmpfs",
    "/tmp",
    ...readable.flatMap((path) => ["--ro-bind-try", path, path]),
    ...[directory, ...sandbox.writablePaths].flatMap((path) => ["--bind", path, path]),
    "--chdir",
    directory,
    ..."--setenv HOME /tmp --setenv TMPDIR /tmp".split(" "),
  ];
  return (argv) => ["bwrap", ...bounds, "--", ...argv];
}

async function hide(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return [];
  return found.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

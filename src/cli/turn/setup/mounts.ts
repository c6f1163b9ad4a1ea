import { lstat, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInside, SkeinError, toSkeinError, type ErrorKind } from "../../../core/internal.ts";
import { checkMounts, copyMount, HostMount } from "../../../isolation/internal.ts";

const FLAG = "--mount";

/** Reads what is to be copied into a directory, as `host` or `host:target`, and checks that it is there and its place is free. */
export async function readMounts(given: readonly string[], directory: string): Promise<readonly HostMount[]> {
  try {
    const mounts = given.map(toMount);
    await checkMounts(mounts, []);
    for (const mount of mounts) await checkPlace(mount, directory);
    return mounts;
  } catch (error) {
    const { message, kind, target } = toSkeinError(error);
    if (target === FLAG) throw error;
    throw wrong(message.replace(/^HostMount\.\w+: |^hostPath: /u, ""), kind);
  }
}

function toMount(given: string): HostMount {
  const [, hostPath = "", mountPath] = /^(.+?)(?::([^:]*))?$/su.exec(given) ?? [];
  if (hostPath === "") throw wrong("no path was given");
  return HostMount(mountPath === undefined ? { hostPath } : { hostPath, mountPath });
}

async function checkPlace({ mountPath }: HostMount, directory: string): Promise<void> {
  const place = join(directory, mountPath);
  if (await lstat(place).catch(() => undefined)) {
    throw wrong(
      `${mountPath} is in the workspace already`,
      "filesystem",
      "Name another place with host:target, or leave the flag out",
    );
  }
  // A link in the workspace could lead the copy out of it.
  if (!isInside(await realOf(dirname(place)), await realpath(directory)))
    throw wrong(`${mountPath} leads out of the workspace`);
}

/** Where a path that may not be there yet really leads. */
async function realOf(path: string): Promise<string> {
  return await realpath(path).catch(async () => await realOf(dirname(path)));
}

function wrong(
  message: string,
  kind: ErrorKind = "usage",
  hint = "Give host or host:target, such as ../data:data",
): SkeinError {
  return new SkeinError(`${FLAG}: ${message}`, { kind, target: FLAG, hint });
}

/** Copies the mounts into a directory that the caller holds; where one fails, none of it stays. */
export async function copyMounts(mounts: readonly HostMount[], directory: string): Promise<void> {
  for (const mount of mounts) {
    // Looked at again: the question about trust, and other turns, take their time.
    await checkPlace(mount, directory);
    try {
      await copyMount(mount, directory);
    } catch (error) {
      await rm(join(directory, mount.mountPath), { recursive: true, force: true });
      throw error;
    }
  }
}

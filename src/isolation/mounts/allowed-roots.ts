import { lstat, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { SkeinError, isInside } from "../../core/index.ts";
import type { HostMount } from "./host-mount.ts";

/**
 * Checks that mounts are there, lie below the allowed roots, links followed, and do not come to lie in one another. An empty list of
 * roots allows all of the host.
 */
export async function checkMounts(mounts: readonly HostMount[], allowedHostRoots: readonly string[]): Promise<void> {
  const roots = await Promise.all(allowedHostRoots.map(async (root) => await existing(root, "allowedHostRoots")));
  for (const mount of mounts) {
    const real = await existing(mount.hostPath, "hostPath");
    if (roots.length > 0 && !roots.some((root) => isInside(real, root))) throw outside(mount.hostPath, real, roots);
    if (!mount.followSymlinks && (await lstat(mount.hostPath)).isSymbolicLink()) throw isLink(mount.hostPath, real);
    const other = mounts.find(
      (given) => given !== mount && isInside(resolve("/", mount.mountPath), resolve("/", given.mountPath)),
    );
    if (other) throw overlapping(mount, other);
  }
}

async function existing(path: string, field: string): Promise<string> {
  return await realpath(path).catch((cause: unknown) => {
    throw new SkeinError(`${field}: there is no ${path}`, { kind: "filesystem", target: path, cause });
  });
}

function outside(path: string, real: string, roots: readonly string[]): SkeinError {
  const leads = path === real ? path : `${path} points to ${real}, which`;
  return new SkeinError(`${leads} is outside the allowed roots ${roots.join(", ")}`, {
    kind: "policy",
    target: path,
    hint: "Mount something below an allowed root, or add a root to allowedHostRoots",
  });
}

function isLink(path: string, real: string): SkeinError {
  return new SkeinError(`${path} is a link to ${real}`, {
    kind: "policy",
    target: path,
    hint: "Mount its target, or set followSymlinks: true",
  });
}

function overlapping(mount: HostMount, other: HostMount): SkeinError {
  return new SkeinError(`One mount lies inside another: ${other.mountPath} and ${mount.mountPath}`, {
    kind: "usage",
    target: mount.mountPath,
    hint: "Give them other places with mountPath",
  });
}

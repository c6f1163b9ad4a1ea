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
    const { hostPath: target, mountPath } = mount;
    const real = await existing(target, "hostPath");
    if (roots.length > 0 && !roots.some((root) => isInside(real, root))) {
      const leads = target === real ? target : `${target} points to ${real}, which`;
      const hint = "Mount something below an allowed root, or add a root to allowedHostRoots";
      const message = `${leads} is outside the allowed roots ${roots.join(", ")}`;
      throw new SkeinError(message, { kind: "policy", target, hint });
    }
    if (!mount.followSymlinks && (await lstat(target)).isSymbolicLink()) {
      const hint = "Mount its target, or set followSymlinks: true";
      throw new SkeinError(`${target} is a link to ${real}`, { kind: "policy", target, hint });
    }
    const isAround = (given: HostMount): boolean => isInside(resolve("/", mountPath), resolve("/", given.mountPath));
    const other = mounts.find((given) => given !== mount && isAround(given));
    if (other) {
      throw new SkeinError(`One mount lies inside another: ${other.mountPath} and ${mountPath}`, {
        kind: "usage",
        target: mountPath,
        hint: "Give them other places with mountPath",
      });
    }
  }
}

async function existing(path: string, field: string): Promise<string> {
  return await realpath(path).catch((cause: unknown) => {
    throw new SkeinError(`${field}: there is no ${path}`, { kind: "filesystem", target: path, cause });
  });
}

import { lstat, realpath } from "node:fs/promises";
import { basename, isAbsolute, resolve, sep } from "node:path";
import { z } from "zod";
import { SkeinError, isInside } from "../../core/internal.ts";
import { parseRecord } from "../parse-record.ts";

const globs = z.array(z.string().min(1)).readonly().default([]);

const FIELDS = z.strictObject({
  /** The file or folder to copy. */
  hostPath: z.string().min(1),
  /** Where it comes to lie in the workspace, relative to it; under its own name by default. */
  mountPath: z
    .string()
    .refine((given) => given.trim() !== "" && !isAbsolute(given) && !given.split(/[\\/]/u).includes(".."), {
      error: "a place in the workspace: relative, and without ..",
    })
    .optional(),
  /** What to copy, of a folder; all by default. */
  includeGlob: globs,
  /** What not to copy; comes before `includeGlob`. */
  excludeGlob: globs,
  /** Bytes that the copies may have together; no limit by default. */
  maxBytes: z.int().positive().optional(),
  /** Whether links are copied as what they lead to, as long as that is inside of `hostPath`; they are left out by default. */
  followSymlinks: z.boolean().default(false),
});

/** Something of the host that is copied into a workspace. */
export type HostMount = Readonly<Omit<z.infer<typeof FIELDS>, "mountPath">> & { readonly mountPath: string };

/** What a mount is made of. */
export type HostMountOptions = z.input<typeof FIELDS>;

/**
 * Makes a mount. Globs are read from the mount's root: `*` and `?` stay within a name, `**` stands for any number of folders, and a glob
 * that names a folder covers all below it. One without a slash but for its end, such as `*.pyc` or `__pycache__/`, holds at any depth,
 * as in a .gitignore.
 */
export function HostMount(options: HostMountOptions): HostMount {
  const { mountPath, ...mount } = parseRecord("HostMount", FIELDS, options);
  const hostPath = resolve(mount.hostPath);
  const place = mountPath ?? (basename(hostPath) || "root");
  const names = place.split(/[\\/]/u).filter((name) => name !== "" && name !== ".");
  return Object.freeze({ ...mount, hostPath, mountPath: names.join(sep) });
}

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
      const hint = "Mount something below an allowed root, or add a root to `allowedHostRoots`";
      const message = `${leads} is outside the allowed roots ${roots.join(", ")}`;
      throw new SkeinError(message, { kind: "policy", target, hint });
    }
    if (!mount.followSymlinks && (await lstat(target)).isSymbolicLink()) {
      const hint = "Mount its target, or set `followSymlinks` to true";
      throw new SkeinError(`${target} is a link to ${real}`, { kind: "policy", target, hint });
    }
    const isAround = (given: HostMount): boolean => isInside(resolve("/", mountPath), resolve("/", given.mountPath));
    const other = mounts.find((given) => given !== mount && isAround(given));
    if (other) {
      throw new SkeinError(`One mount lies inside another: ${other.mountPath} and ${mountPath}`, {
        kind: "usage",
        target: mountPath,
        hint: "Give them other places with `mountPath`",
      });
    }
  }
}

async function existing(path: string, field: string): Promise<string> {
  return await realpath(path).catch((cause: unknown) => {
    throw new SkeinError(`${field}: there is no ${path}`, { kind: "filesystem", target: path, cause });
  });
}

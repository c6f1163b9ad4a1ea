import { basename, isAbsolute, resolve, sep } from "node:path";
import { z } from "zod";
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

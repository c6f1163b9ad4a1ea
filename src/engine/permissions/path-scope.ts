import { homedir } from "node:os";
import { resolve } from "node:path";
import { isInside } from "../../core/index.ts";
import { fileAccesses } from "./called-tool.ts";
import { PASS, type PermissionPolicy } from "./permission-policy.ts";
import { resolvePath } from "./resolve-path.ts";

/** Where file tools may go. */
export interface PathScopeOptions {
  /** The folder to stay in, and the start of relative paths: the workspace. */
  readonly root: string;
  /** Further folders and files. */
  readonly allow?: readonly string[];
  /** What `~` stands for; the user's home by default. */
  readonly home?: string;
}

/**
 * Denies calls of file tools (Read, Write, Edit, NotebookEdit, Glob, Grep) that lead out of a folder, by `..`, by `~` or by
 * a symbolic link; has no opinion on the rest. Bash passes: what a command touches cannot be read off its text, and
 * keeping it in is the sandbox's work. So is a link that somebody swaps between this check and the tool's own opening.
 */
export function pathScope({ root, allow = [], home = homedir() }: PathScopeOptions): PermissionPolicy {
  const base = { cwd: resolve(root), home };
  return async (request) => {
    const accesses = fileAccesses(request);
    if (accesses.length === 0) return PASS;
    const folders = await Promise.all([base.cwd, ...allow].map((folder) => resolvePath(folder, base)));
    const inside = folders.flatMap(({ real }) => real);
    for (const { path } of accesses) {
      const { real } = await resolvePath(path, base);
      const outside = real.find((file) => !inside.some((folder) => isInside(file, folder)));
      if (outside === undefined) continue;
      return { type: "deny", message: `${request.tool} was denied: ${outside} is outside of ${inside.join(", ")}.` };
    }
    return PASS;
  };
}

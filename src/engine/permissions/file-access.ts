import { readlink } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, parse, resolve, sep } from "node:path";
import { hostPath, isInside, ownValue } from "../../core/internal.ts";
import { PASS, type PermissionPolicy, type PermissionRequest } from "./permission-policy.ts";

export interface PathBase {
  /** What relative paths start at. */
  readonly cwd: string;
  /** What `~` stands for. */
  readonly home: string;
}

/** A path of a tool call, and the files that it can mean. */
export interface ResolvedPath {
  /** Absolute, without `..`, symbolic links left as they are. */
  readonly logical: string;
  /** Without symbolic links. Two where `..` after a link means one file to the shell and another to the kernel. */
  readonly real: readonly string[];
}

/** Finds out which file a path means, whether or not it exists yet. */
export async function resolvePath(path: string, { cwd, home }: PathBase): Promise<ResolvedPath> {
  const expanded = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
  const absolute = isAbsolute(expanded) ? expanded : `${resolve(cwd)}${sep}${expanded}`;
  const logical = resolve(absolute);
  const real = new Set([await followLinks(logical), await followLinks(absolute)]);
  return { logical, real: [...real] };
}

const MAX_LINKS = 40;

/** Walks a path as the kernel does. A link that leads nowhere is followed too: writing to it creates its target. */
export async function followLinks(path: string): Promise<string> {
  const { root } = parse(path);
  let current = root;
  let links = 0;
  const rest = path.slice(root.length).split(sep);
  for (let segment = rest.shift(); segment !== undefined; segment = rest.shift()) {
    if (segment === "" || segment === ".") continue;
    const next = join(current, segment);
    const target = segment === ".." ? undefined : await linkTarget(next);
    if (target === undefined) {
      current = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new Error(`Too many symbolic links in ${path}`);
    if (isAbsolute(target)) current = parse(target).root;
    rest.unshift(...target.split(sep));
  }
  return current;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    // What the agent names lies elsewhere for this process where it works on a branch.
    return await readlink(hostPath(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** What a tool does to the file that its input names. */
export interface FileAccess {
  readonly access: "read" | "write";
  /** The path as the model wrote it; `.` for a search that names none. */
  readonly path: string;
}

const FILE_TOOLS: Readonly<Record<string, readonly [access: FileAccess["access"], key: string]>> = {
  Read: ["read", "file_path"],
  NotebookRead: ["read", "notebook_path"],
  Grep: ["read", "path"],
  Glob: ["read", "path"],
  LS: ["read", "path"],
  Write: ["write", "file_path"],
  Edit: ["write", "file_path"],
  MultiEdit: ["write", "file_path"],
  NotebookEdit: ["write", "notebook_path"],
};

/** Which files a call of a file tool touches; none for all other tools. */
export function fileAccesses({ tool, input }: Pick<PermissionRequest, "tool" | "input">): readonly FileAccess[] {
  const [access, key] = ownValue(FILE_TOOLS, tool) ?? [];
  if (access === undefined || key === undefined) return [];
  const path = input[key];
  const base = typeof path === "string" ? path : ".";
  if (tool !== "Glob" || typeof input["pattern"] !== "string") return [{ access, path: base }];
  return [base, globStart(base, input["pattern"])].map((start) => ({ access, path: start }));
}

/** The folder that a search begins in: a pattern can lead away from `path` by `..` or by being absolute. */
function globStart(base: string, pattern: string): string {
  const segments = pattern.split("/");
  const firstWild = segments.findIndex((segment) => /[*?[\]{}()!]/.test(segment));
  const fixed = segments.slice(0, firstWild === -1 ? segments.length : firstWild).join("/");
  if (pattern.startsWith("/")) return fixed === "" ? "/" : fixed;
  return pattern.startsWith("~/") ? fixed : `${base}/${fixed}`;
}

/** The command line that a call runs, if it runs one. */
export function commandOf({ tool, input }: PermissionRequest): string | undefined {
  const runs = tool === "Bash" || tool === "Monitor";
  return runs && typeof input["command"] === "string" ? input["command"] : undefined;
}

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

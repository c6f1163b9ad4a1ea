import { readlink } from "node:fs/promises";
import { hostPath } from "../../core/index.ts";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

/** Where paths are read from. */
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
    if (segment === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, segment);
    const target = await linkTarget(next);
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

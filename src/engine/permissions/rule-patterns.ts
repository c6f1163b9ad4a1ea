import { isAbsolute, join, relative, sep } from "node:path";
import { followLinks, type PathBase, type ResolvedPath } from "./file-access.ts";

/**
 * Matches a command against what stands in the parentheses of `Bash(…)`: as a whole, by a prefix of whole words (`git:*`,
 * `git *`), or with `*` for any text.
 */
export function matchesCommandPattern(pattern: string, command: string): boolean {
  const { normal, prefix } = readPattern(pattern);
  return matchesWildcards(normal, command) || (prefix !== undefined && matchesWildcards(prefix, command));
}

/** Whether a command that begins like this can turn out to match, whatever words follow. */
export function mayMatchCommandPattern(pattern: string, start: string): boolean {
  const fixed = readPattern(pattern).normal.split("*", 1)[0] as string;
  return fixed.startsWith(`${start} `) || `${start} `.startsWith(fixed);
}

/** With what has to come first, where the rest is free; a star after a space leaves it free only if it is the one star. */
function readPattern(pattern: string): { readonly normal: string; readonly prefix?: string } {
  const normal = pattern.trim().replaceAll(/\s+/g, " ");
  const isFree = normal.endsWith(":*") || (normal.endsWith(" *") && normal.indexOf("*") === normal.length - 1);
  if (!isFree) return { normal };
  const prefix = normal.slice(0, -2).trimEnd();
  return { normal: `${prefix} *`, prefix };
}

/** Each fixed part is sought after the one before it: no backtracking, so a long command costs no more than its length. */
function matchesWildcards(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return text === pattern;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let index = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, index);
    if (found === -1) return false;
    index = found + part.length;
  }
  return index <= text.length - last.length;
}

/** Whether every file that a path can mean is covered by a pattern: a link into the folder is not enough, nor one out. */
export async function coversPath(pattern: string, path: ResolvedPath, base: PathBase): Promise<boolean> {
  const { root, glob } = anchor(pattern, base);
  const expression = toExpression(glob);
  const realRoot = await followLinks(root);
  const logical = matchesBelow(expression, root, path.logical) || matchesBelow(expression, realRoot, path.logical);
  return logical && path.real.every((real) => matchesBelow(expression, realRoot, real));
}

/** Whether any file that a path can mean is touched by a pattern, which reads as widely as the CLI's deny rules do. */
export async function touchesPath(pattern: string, path: ResolvedPath, base: PathBase): Promise<boolean> {
  const { root, glob } = anchor(pattern, base);
  // To the CLI a folder's content is the folder: without its slash the name counts at any depth.
  const globs = [glob, glob.endsWith("/**") ? glob.slice(0, -3) : glob];
  const fixed = fixedFolder(glob);
  const linked = `/${glob.slice(fixed.length).replace(/^\//, "")}`;
  const places = [
    ...[root, await followLinks(root)].flatMap((folder) => globs.map((each) => ({ root: folder, glob: each }))),
    ...(fixed === "" ? [] : [{ root: await followLinks(join(root, fixed)), glob: linked }]),
  ];
  const files = [path.logical, ...path.real];
  return places.some((place) => files.some((file) => matchesBelow(toExpression(place.glob), place.root, file)));
}

/** Where a pattern starts: `//` is the root of the file system, `~/` the home, `/`, `./` and all else the working directory. */
function anchor(pattern: string, { cwd, home }: PathBase): { readonly root: string; readonly glob: string } {
  if (pattern.startsWith("//")) return { root: "/", glob: pattern.replace(/^\/+/, "/") };
  if (pattern.startsWith("~/")) return { root: home, glob: pattern.slice(1) };
  return { root: cwd, glob: pattern.replace(/^(?:\.\/)+/, "") };
}

/** The folders at the start of a glob that have no wildcards; the last part is never among them. */
function fixedFolder(glob: string): string {
  const segments = glob.split("/");
  const firstWild = segments.findIndex((segment) => /[*?[\\]/.test(segment));
  return segments.slice(0, firstWild === -1 ? -1 : firstWild).join("/");
}

/** As gitignore has it, a match of a folder is a match of all that is in it. */
function matchesBelow(expression: RegExp, root: string, file: string): boolean {
  const path = relative(root, file);
  if (path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) return false;
  return expression.test(path.split(sep).join("/"));
}

/** A gitignore pattern as an expression: without a slash before its end it counts at any depth. */
function toExpression(glob: string): RegExp {
  const isAnchored = glob.replace(/\/$/, "").includes("/");
  const body = glob.replace(/^\//, "").replace(/\/$/, "");
  const source = body
    .split("/")
    .map((segment, index, all) => {
      const isLast = index === all.length - 1;
      if (segment === "**") return isLast ? ".*" : "(?:[^/]+/)*";
      return `${segmentSource(segment)}${isLast ? "" : "/"}`;
    })
    .join("");
  const inside = glob.endsWith("/") ? "/.*" : "(?:/.*)?";
  return new RegExp(`^${isAnchored ? "" : "(?:.*/)?"}${source}${inside}$`, "s");
}

function segmentSource(segment: string): string {
  return segment.replaceAll(/\\.|\[[!^]?[^\]]+\]|\*+|[^]/g, (token) => {
    if (token.startsWith("*")) return "[^/]*";
    if (token === "?") return "[^/]";
    if (token.length > 2) return `[${token.slice(1, -1).replace(/^!/, "^").replaceAll("\\", "\\\\")}]`;
    return token.replace(/^\\(?=.)/, "").replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
}

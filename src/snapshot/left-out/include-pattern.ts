import { type BytePath, toBytePath } from "../../git/index.ts";

/** Which of the ignored files are taken all the same. */
export interface Selection {
  /** Whether this file is taken. */
  takesFile(path: BytePath): boolean;
  /** Whether this folder is taken, with all below it. */
  takesFolder(path: BytePath): boolean;
  /** Whether something below this folder may be taken. */
  enters(folder: BytePath): boolean;
}

/**
 * Reads globs from the root: `*` and `?` stay within a name, `**` stands for any number of folders. `.env` is the root's
 * own; one at any depth is asked for with two stars and makes ignored folders be searched too.
 */
export function selectByGlobs(globs: readonly string[]): Selection {
  const patterns = globs.map((glob) =>
    toBytePath(glob)
      .split("/")
      .filter((segment) => segment !== "" && segment !== "."),
  );
  const takes = (path: BytePath): boolean => patterns.some((pattern) => covers(pattern, path.split("/")));
  return {
    takesFile: takes,
    takesFolder: takes,
    enters: (folder) => patterns.some((pattern) => reaches(pattern, folder.split("/"))),
  };
}

/** Whether the pattern names the path or a folder above it. */
function covers(pattern: readonly string[], path: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return true;
  if (path.length === 0) return false;
  if (head === "**") return covers(rest, path) || covers(pattern, path.slice(1));
  return matches(head, path[0] ?? "") && covers(rest, path.slice(1));
}

/** Whether the pattern can name something below the folder. */
function reaches(pattern: readonly string[], folder: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (folder.length === 0 || head === "**") return true;
  if (head === undefined) return true;
  return matches(head, folder[0] ?? "") && reaches(rest, folder.slice(1));
}

function matches(segment: string, name: string): boolean {
  const source = segment
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
  return new RegExp(`^${source}$`, "s").test(name);
}

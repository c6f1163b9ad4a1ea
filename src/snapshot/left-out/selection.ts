import { type BytePath, leadingFolders, toBytePath } from "../../git/index.ts";
import { remembered } from "../capture/tree-node.ts";
import { nodeAt, type PlainFolder } from "../plain-tree.ts";

export interface Selection {
  takesFile(path: BytePath): boolean;
  /** Whether this folder is taken, with all below it. */
  takesFolder(path: BytePath): boolean;
  /** Whether something below this folder may be taken. */
  enters(folder: BytePath): boolean;
}

/** From the root, `**` for any number of folders: `.env` is the root's own, and two stars have ignored folders searched too. */
export function selectByGlobs(globs: readonly string[]): Selection {
  const segmentsOf = (glob: string): readonly string[] => toBytePath(glob).split("/");
  const patterns = globs.map((glob) => segmentsOf(glob).filter((segment) => segment !== "" && segment !== "."));
  const takes = (path: BytePath): boolean => patterns.some((pattern) => covers(pattern, path.split("/")));
  return {
    takesFile: takes,
    takesFolder: takes,
    enters: (folder) => patterns.some((pattern) => reaches(pattern, folder.split("/"))),
  };
}

function covers(pattern: readonly string[], path: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return true;
  if (path.length === 0) return false;
  if (head === "**") return covers(rest, path) || covers(pattern, path.slice(1));
  return matches(head, path[0] ?? "") && covers(rest, path.slice(1));
}

function reaches(pattern: readonly string[], folder: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (folder.length === 0 || head === undefined || head === "**") return true;
  return matches(head, folder[0] ?? "") && reaches(rest, folder.slice(1));
}

function matches(segment: string, name: string): boolean {
  const source = segment
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
  return new RegExp(`^${source}$`, "s").test(name);
}

/** Selects what the user's index names, for git itself goes on tracking a file that a rule ignores. */
export function selectTracked(index: Buffer | undefined): Selection {
  return {
    takesFile: (path) => index !== undefined && pathsIn(index).files.has(path),
    takesFolder: () => false,
    enters: (folder) => index !== undefined && pathsIn(index).folders.has(folder),
  };
}

export function selectEither(selections: readonly Selection[]): Selection {
  return {
    takesFile: (path) => selections.some((each) => each.takesFile(path)),
    takesFolder: (path) => selections.some((each) => each.takesFolder(path)),
    enters: (folder) => selections.some((each) => each.enters(folder)),
  };
}

const pathsIn = remembered((index: Buffer) => {
  const lines = index.toString("latin1").split("\0");
  const files = new Set(lines.map((line) => line.slice(line.indexOf("\t") + 1)));
  return { files, folders: leadingFolders(files) };
});

/** Selects what a tree holds. What stands in the place of one of its folders is to be held too. */
export function selectHeld(tree: PlainFolder | undefined): Selection {
  return {
    takesFile: (path) => nodeAt(tree, path) !== undefined,
    takesFolder: () => false,
    enters: (folder) => nodeAt(tree, folder)?.kind === "folder",
  };
}

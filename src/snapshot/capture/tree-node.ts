import type { Stats } from "node:fs";
import { type BytePath, type TreeEntry, treeId } from "../../git/index.ts";
import type { Withholding } from "../left-out/built-in-rules.ts";

/** A file or a link as it was last read. It is never changed: one that is the same object is the same file. */
export interface FileNode {
  readonly kind: "file" | "symlink";
  /** The permission bits, all twelve. */
  readonly mode: number;
  readonly oid: string;
  readonly stat: StatKey;
  /** It had changed so shortly before it was read that its next change may not show in its times. */
  readonly racy: boolean;
}

/** A folder as it was last read; the same object again where nothing in it changed. */
export interface FolderNode {
  readonly kind: "folder";
  readonly mode: number;
  readonly entries: ReadonlyMap<BytePath, TreeNode>;
  /** The names in it that the ignore rules leave out, so that they are not asked about again. */
  readonly ignored: ReadonlySet<BytePath>;
  /** Those of them that only a built-in rule leaves out. */
  readonly withheld: ReadonlyMap<BytePath, Withholding>;
  /** Its ignore file as a text that changes when it does. */
  readonly rules: string;
  /** The folder itself as a text that changes when a name in it does; undefined where that cannot be relied on. */
  readonly stamp: string | undefined;
  /** The id of its git tree; undefined where it holds no file at any depth, for git has no empty folders. */
  readonly oid: string | undefined;
  /** How many files and folders in it have which mode, as `f644` or `d755`, and how many are `empty`. */
  readonly modes: ReadonlyMap<string, number>;
}

export type TreeNode = FileNode | FolderNode;

/** What tells that a file has changed without reading it; of the inode the low 32 bits, as in git's index. Git compares the owner and the group too; a change of them shows in the times. */
export type StatKey = Readonly<Pick<Stats, "size" | "mtimeMs" | "ctimeMs" | "ino" | "uid" | "gid">>;

export const NO_STAT: StatKey = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0, uid: 0, gid: 0 };

/** What was seen at a path, without opening or following what is there. Kept for every file for a while, so it is small. */
export interface Look {
  readonly kind: "file" | "symlink" | "folder" | "special";
  /** The permission bits, all twelve. */
  readonly mode: number;
  readonly stat: StatKey;
}

export function toLook(stats: Stats): Look {
  return { kind: KINDS.get(stats.mode & 0o170000) ?? "special", mode: stats.mode & 0o7777, stat: statKey(stats) };
}

const KINDS: ReadonlyMap<number, Look["kind"]> = new Map([
  [0o100000, "file"],
  [0o120000, "symlink"],
  [0o040000, "folder"],
]);

function statKey({ size, mtimeMs, ctimeMs, ino, uid, gid }: Stats): StatKey {
  return { size, mtimeMs, ctimeMs, ino, uid, gid };
}

/** The coarsest clock of the file systems in use; git compares whole seconds. */
export const RACY_MS = 2000;

export function isSameStat(left: StatKey, right: StatKey): boolean {
  return (
    left.ctimeMs === right.ctimeMs &&
    left.mtimeMs === right.mtimeMs &&
    left.size === right.size &&
    left.ino % INODES === right.ino % INODES
  );
}

const INODES = 2 ** 32;

export function gitMode(node: FileNode): string {
  if (node.kind === "symlink") return "120000";
  return (node.mode & 0o100) === 0 ? "100644" : "100755";
}

/** Makes a folder of what was found in it: its tree's id and the modes in it are reckoned here, once. */
export function sealFolder(
  found: Pick<FolderNode, "mode" | "ignored" | "withheld" | "rules" | "stamp">,
  entries: ReadonlyMap<BytePath, TreeNode>,
): FolderNode {
  const modes = new Map<string, number>();
  const count = (key: string, times: number): void => void modes.set(key, (modes.get(key) ?? 0) + times);
  for (const node of entries.values()) {
    if (node.kind === "folder") {
      if (node.entries.size === 0) count("empty", 1);
      for (const [key, times] of node.modes) count(key, times);
    }
    const key = modeKey(node);
    if (key !== undefined) count(key, 1);
  }
  const { mode, ignored, withheld, rules, stamp } = found;
  const lines = treeLines(entries);
  const oid = lines.length === 0 ? undefined : treeId(lines);
  return { kind: "folder", mode, ignored, withheld, rules, stamp, entries, modes, oid };
}

/** What a folder's git tree holds: no folder without files, for git has none. */
export function treeLines(entries: ReadonlyMap<BytePath, TreeNode>): readonly TreeEntry[] {
  const lines: TreeEntry[] = [];
  for (const [name, node] of entries) {
    if (node.kind !== "folder") lines.push({ mode: gitMode(node), name, oid: node.oid });
    else if (node.oid !== undefined) lines.push({ mode: "40000", name, oid: node.oid });
  }
  return lines;
}

/** A node's kind and mode as one word; undefined for a link, which has no mode of its own. */
export function modeKey(node: TreeNode): string | undefined {
  if (node.kind === "symlink") return undefined;
  if (node.kind === "folder") return `d${node.mode.toString(8)}`;
  return `${(node.mode & 0o100) === 0 ? "f" : "x"}${node.mode.toString(8)}`;
}

/** Remembers what was found out of an object that is never changed, such as a folder: it holds as long as the object. */
export function remembered<Key extends object, Found>(find: (key: Key) => Found): (key: Key) => Found {
  const known = new WeakMap<Key, { readonly found: Found }>();
  return (key) => {
    const { found } = known.get(key) ?? { found: find(key) };
    known.set(key, { found });
    return found;
  };
}

import { joinBytePath, toText, type BytePath } from "../../git/index.ts";
import type { Listing } from "../listing.ts";
import { fileState, nodeAt } from "../plain-tree.ts";
import { sealFolder } from "../scan/seal-folder.ts";
import type { FileState } from "../snapshot-store.ts";
import type { FileNode, FolderNode, TreeNode } from "../scan/tree-node.ts";
import type { Conflict } from "./conflict-error.ts";
import type { OnConflict } from "./merge-files.ts";

/** What is changed in a tree. */
export interface TreeChange {
  /** Files by their paths, undefined where one goes. */
  readonly edits: ReadonlyMap<BytePath, FileState | undefined>;
  /** The folders after the turn and before it, as far as they may differ. */
  readonly after: Listing;
  readonly before: Listing;
}

/** Makes another tree of a tree; folders in which nothing changes are the same object. */
export function editTree(root: FolderNode, change: TreeChange): FolderNode {
  const wanted = [...change.before.emptyFolders].filter((path) => !change.after.folders.has(path));
  const made = [...change.after.folders.keys()].filter((path) => !change.before.folders.has(path));
  const folders = [...wanted, ...made, ...modeChanges(change)].map((path) => `${path}/`);
  const paths = [...change.edits.keys(), ...folders];
  return editFolder(root, { change, path: "", paths });
}

/**
 * Files that would stand in the place of a folder with files in it, or below a file. Discarding takes away what is in the
 * way; otherwise the edit is given up.
 */
export function settlePlaces(
  root: FolderNode,
  edits: Map<BytePath, FileState | undefined>,
  onConflict: OnConflict,
): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [path, state] of edits) {
    if (!state) continue;
    const inTheWay = [...filesAbove(root, path, edits), ...filesBelow(root, path, edits)];
    if (inTheWay.length === 0) continue;
    for (const each of inTheWay) conflicts.push({ path: toText(each), why: "replaced" });
    if (onConflict === "discard") for (const each of inTheWay) edits.set(each, undefined);
    else edits.delete(path);
  }
  return conflicts;
}

function filesAbove(root: FolderNode, path: BytePath, edits: ReadonlyMap<BytePath, FileState | undefined>): BytePath[] {
  const found: BytePath[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end);
    const node = nodeAt(root, above);
    const isFile = edits.has(above) ? edits.get(above) !== undefined : node !== undefined && node.kind !== "folder";
    if (isFile) found.push(above);
  }
  return found;
}

function filesBelow(root: FolderNode, path: BytePath, edits: ReadonlyMap<BytePath, FileState | undefined>): BytePath[] {
  const node = nodeAt(root, path);
  if (node?.kind !== "folder") return [];
  return [...node.entries.keys()].flatMap((name) => {
    const below = joinBytePath(path, name);
    if (node.entries.get(name)?.kind === "folder") return filesBelow(root, below, edits);
    return edits.has(below) && edits.get(below) === undefined ? [] : [below];
  });
}

/** Folders whose permissions the turn changed. */
function modeChanges({ after, before }: TreeChange): BytePath[] {
  const changed = [...after.folders].filter(([path, mode]) => (before.folders.get(path) ?? mode) !== mode);
  return changed.map(([path]) => path);
}

interface FolderEdit {
  readonly change: TreeChange;
  readonly path: BytePath;
  /** What changes below it, as paths from it; one that ends with a slash is a folder. */
  readonly paths: readonly BytePath[];
}

function editFolder(folder: FolderNode, { change, path, paths }: FolderEdit): FolderNode {
  const entries = new Map<BytePath, TreeNode>(folder.entries);
  const below = new Map<BytePath, BytePath[]>();
  for (const each of paths) {
    const slash = each.indexOf("/");
    const name = slash === -1 ? each : each.slice(0, slash);
    if (slash !== -1) below.set(name, [...(below.get(name) ?? []), each.slice(slash + 1)].filter(Boolean));
    else {
      const state = change.edits.get(joinBytePath(path, name));
      if (state) entries.set(name, toNode(state));
      else if (entries.get(name)?.kind !== "folder") entries.delete(name);
    }
  }
  for (const [name, inside] of below) {
    const here = joinBytePath(path, name);
    const was = entries.get(name);
    // What was made since in the place of an empty folder stays; a file in the place of one with files was settled before.
    const isFilled = inside.some((each) => change.edits.get(joinBytePath(here, each)) !== undefined);
    if (was && was.kind !== "folder" && !isFilled) continue;
    const start = was?.kind === "folder" ? was : emptyFolder(change.before.folders.get(here) ?? 0o755);
    const edited = editFolder(start, { change, path: here, paths: inside });
    const isGone =
      edited.entries.size === 0 && (was?.kind !== "folder" ? !isWanted(change, here) : isMade(change, here));
    if (!isGone) entries.set(name, edited);
    else if (was?.kind === "folder") entries.delete(name);
  }
  const mode = modeOf(folder.mode, change, path);
  if (mode === folder.mode && isSame(entries, folder.entries)) return folder;
  return sealFolder({ ...folder, mode, stamp: undefined }, entries);
}

/** The turn made the folder. */
function isMade({ after, before }: TreeChange, path: BytePath): boolean {
  return after.folders.has(path) && !before.folders.has(path);
}

/** The folder was empty before the turn and has to be there again. */
function isWanted({ before }: TreeChange, path: BytePath): boolean {
  return before.folders.has(path);
}

function modeOf(now: number, { after, before }: TreeChange, path: BytePath): number {
  const [left, right] = [after.folders.get(path), before.folders.get(path)];
  return left !== undefined && right !== undefined && now === left ? right : now;
}

function isSame(left: ReadonlyMap<BytePath, TreeNode>, right: ReadonlyMap<BytePath, TreeNode>): boolean {
  return left.size === right.size && [...left].every(([name, node]) => right.get(name) === node);
}

function emptyFolder(mode: number): FolderNode {
  return sealFolder({ mode, ignored: new Set(), withheld: new Map(), rules: "", stamp: undefined }, new Map());
}

function toNode({ kind, mode, contentId = "" }: FileState): FileNode {
  const stat = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0, uid: 0, gid: 0 };
  return { kind: kind === "symlink" ? "symlink" : "file", mode, oid: contentId, stat, racy: true };
}

/** A file of a tree as a snapshot tells it. */
export function fileAt(root: FolderNode, path: BytePath): FileState | undefined {
  const node = nodeAt(root, path);
  return node === undefined || node.kind === "folder" ? undefined : fileState(node);
}

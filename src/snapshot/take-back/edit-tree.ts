import { type BytePath, foldersAbove, joinBytePath, toText } from "../../git/index.ts";
import { type FileNode, type FolderNode, NO_STAT, sealFolder, type TreeNode } from "../capture/tree-node.ts";
import type { Listing } from "../listing.ts";
import { fileAt, nodeAt } from "../plain-tree.ts";
import type { FileState } from "../snapshot-store.ts";
import type { Conflict } from "./conflict-error.ts";
import type { OnConflict } from "./merge-files.ts";

/** Files by their paths, undefined where one goes. */
type FileEdits = ReadonlyMap<BytePath, FileState | undefined>;

interface TreeChange {
  readonly edits: FileEdits;
  /** The folders after the turn and before it, as far as they may differ. */
  readonly after: Listing;
  readonly before: Listing;
}

/** Makes another tree of a tree; folders in which nothing changes are the same object. */
export function editTree(root: FolderNode, change: TreeChange): FolderNode {
  const { after, before } = change;
  const wanted = [...before.emptyFolders].filter((path) => !after.folders.has(path));
  // Folders that the turn made, or whose permissions it changed.
  const changed = [...after.folders].filter(([path, mode]) => before.folders.get(path) !== mode).map(([path]) => path);
  const paths = [...change.edits.keys(), ...[...wanted, ...changed].map((path) => `${path}/`)];
  return editFolder(root, { change, path: "", paths });
}

/** Files in the place of a folder with files, or below a file: discarding takes those away, else the edit is given up. */
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

function filesAbove(root: FolderNode, path: BytePath, edits: FileEdits): BytePath[] {
  const stays = (above: BytePath): FileState | undefined => (edits.has(above) ? edits.get(above) : fileAt(root, above));
  return [...foldersAbove(path)].filter((above) => stays(above) !== undefined);
}

function filesBelow(root: FolderNode, path: BytePath, edits: FileEdits): BytePath[] {
  const node = nodeAt(root, path);
  if (node?.kind !== "folder") return [];
  return [...node.entries.keys()].flatMap((name) => {
    const below = joinBytePath(path, name);
    if (node.entries.get(name)?.kind === "folder") return filesBelow(root, below, edits);
    return edits.has(below) && edits.get(below) === undefined ? [] : [below];
  });
}

/** `paths` is what changes below it, as paths from it; one that ends with a slash is a folder. */
function editFolder(
  folder: FolderNode,
  { change, path, paths }: { change: TreeChange; path: BytePath; paths: readonly BytePath[] },
): FolderNode {
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
    const [isAfter, isBefore] = [change.after.folders.has(here), change.before.folders.has(here)];
    // The turn made the folder, or it was not there before the turn and nothing comes to lie in it.
    const isGone = edited.entries.size === 0 && !isBefore && (was?.kind !== "folder" || isAfter);
    if (!isGone) entries.set(name, edited);
    else if (was?.kind === "folder") entries.delete(name);
  }
  const wasMode = change.before.folders.get(path);
  const mode = wasMode !== undefined && folder.mode === change.after.folders.get(path) ? wasMode : folder.mode;
  const isSame =
    entries.size === folder.entries.size && [...entries].every(([name, node]) => folder.entries.get(name) === node);
  return isSame && mode === folder.mode ? folder : sealFolder({ ...folder, mode, stamp: undefined }, entries);
}

function emptyFolder(mode: number): FolderNode {
  return sealFolder({ mode, ignored: new Set(), withheld: new Map(), rules: "", stamp: undefined }, new Map());
}

function toNode({ kind, mode, contentId = "" }: FileState): FileNode {
  return { kind: kind === "symlink" ? "symlink" : "file", mode, oid: contentId, stat: NO_STAT, racy: true };
}

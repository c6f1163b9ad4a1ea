import { lstatSync, readdirSync } from "node:fs";
import { type BytePath, errorCode, isGitName, joinBytePath, toSystemPath, tryLookAt } from "../../git/index.ts";
import { RULE_MARKERS } from "../left-out/built-in-rules.ts";
import type { IgnoreRules } from "../left-out/ignore-rules.ts";
import { leftOut } from "../left-out/list-left-out.ts";
import type { Selection } from "../left-out/selection.ts";
import type { LeftOut } from "../snapshot-store.ts";
import type { StatPass } from "../memory/shadow.ts";
import { type FileNode, type FolderNode, type Look, RACY_MS, remembered, type StatKey, toLook } from "./tree-node.ts";
import { holdsIgnored, type UpperLayer } from "./upper-layer.ts";

export interface ScanRequest {
  readonly root: BytePath;
  /** What the last scan found; files that look the same are not read again. */
  readonly previous: FolderNode | undefined;
  /** What git found to look the same; these files are not looked at again. */
  readonly pass: StatPass | undefined;
  /** Looks at the folders of the last scan that were taken since this capture began. */
  readonly looks: ReadonlyMap<FolderNode, Look>;
  /** All that can have changed since the last scan, where the directory is an overlay. */
  readonly layer: UpperLayer | undefined;
  /** Files that were just written, as they would be found. */
  readonly written: ReadonlyMap<BytePath, FileNode> | undefined;
  /** Whether rules for the whole tree changed since, so that every name is asked about again. */
  readonly rulesChanged: boolean;
  readonly rules: IgnoreRules;
  /** Paths that are passed over as if nothing were there. */
  readonly reserved: ReadonlySet<BytePath>;
  /** Ignored files that are taken all the same. */
  readonly selection: Selection;
  /** Whether a file is taken whatever its size. */
  isRequired(path: BytePath): boolean;
  readonly sizeLimitBytes: number;
  readonly startedMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface Scanner {
  readonly request: ScanRequest;
  readonly leftOut: LeftOut[];
  readonly moved: Set<BytePath>;
  /** The `.gitattributes` in the folders that were listed. */
  readonly attributes: BytePath[];
  /** How many files were looked at since others had their turn. */
  seen: number;
  looked: number;
}

export interface Place {
  readonly path: BytePath;
  readonly look: Look;
  readonly previous: FolderNode | undefined;
  readonly compared: FolderNode | undefined;
  readonly rulesChanged: boolean;
  /** The folder is ignored, and entered only for what is selected. */
  readonly insideIgnored: boolean;
  /** Its ignore file is something that git would wait on for ever, such as a pipe: its rules are not read. */
  readonly unruly: boolean;
}

/** A name in a folder: looked at, or known to look the same. */
export type Child =
  | { readonly name: BytePath; readonly path: BytePath; readonly look: Look; readonly node?: undefined }
  | { readonly name: BytePath; readonly path: BytePath; readonly node: FileNode; readonly look?: undefined };

/** Files are read whole, and Node reads no more than this. */
export const MOST_BYTES = 2 ** 31 - 1;

/** Whether the same rules as the last time say what of a folder is taken, so that what is known of it may hold. */
export function isUnderSameRules({ rulesChanged, insideIgnored, unruly }: Place): boolean {
  return !rulesChanged && !insideIgnored && !unruly;
}

/** A folder that changed just now may change again without its times telling. */
export function folderStamp({ mtimeMs, ctimeMs, ino }: StatKey, startedMs: number): string | undefined {
  return Math.max(mtimeMs, ctimeMs) > startedMs - RACY_MS ? undefined : `${ino} ${mtimeMs} ${ctimeMs}`;
}

/** Everything in a folder but git's own and Skein's own; what cannot be looked at is listed as left out. */
export function listChildren(scanner: Scanner, place: Place, stamp: string | undefined) {
  const { root, startedMs, reserved, written } = scanner.request;
  const { path } = place;
  const children: Child[] = [];
  /** Folders that no layer holds: each is as it was, all the way down, unless the rules above it have changed. */
  const unheld: (readonly [BytePath, FolderNode])[] = [];
  const sameNode = createSameNode(scanner, place);
  const names = namesIn(scanner, place, stamp);
  // A folder that could not be read is to be told of again, though its times stay the same.
  let isPlain = names !== undefined;
  for (const name of names ?? []) {
    const below = joinBytePath(path, name);
    if (isGitName(name)) {
      // The workspace's own is recorded by itself.
      if (name === ".git" && path === "") continue;
      isPlain = false;
      const reason = name === ".git" ? "repository" : "reserved-name";
      scanner.leftOut.push(leftOut(below, reason));
      continue;
    }
    if (reserved.size > 0 && reserved.has(below)) continue;
    if (name.length === 14 && name.toLowerCase() === ".gitattributes") scanner.attributes.push(below);
    const node = sameNode(name) ?? written?.get(below);
    const folder = node ? undefined : unheldFolder(scanner, place, name);
    if (node) children.push({ name, path: below, node });
    if (folder) unheld.push([name, folder]);
    if (node ?? folder) continue;
    try {
      const stats = lstatSync(toSystemPath(`${root}/${below}`), { throwIfNoEntry: false });
      const look = stats && toLook(stats);
      if (look) children.push({ name, path: below, look });
      if (look?.kind === "folder") continue;
      if (!look || look.stat.ctimeMs > startedMs) scanner.moved.add(below);
      scanner.looked += 1;
    } catch (error) {
      isPlain = false;
      noteUnreadable(scanner, below, error);
    }
  }
  return { children, unheld, isPlain };
}

/** Notes what could not be looked at: gone in the meantime, or closed to us. */
function noteUnreadable(scanner: Scanner, path: BytePath, error: unknown): void {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") scanner.moved.add(path);
  else scanner.leftOut.push(leftOut(path, "unreadable"));
}

/** What a layer does not hold has not changed; a folder with ignored names in it depends on more than itself. */
function unheldFolder({ request: { layer } }: Scanner, place: Place, name: BytePath): FolderNode | undefined {
  if (!layer || !isUnderSameRules(place) || RULES_NAME.test(name)) return undefined;
  const node = place.previous?.entries.get(name);
  const isSame = node?.kind === "folder" && !place.previous?.ignored.has(name) && !layer.names(place.path)?.has(name);
  return isSame && !holdsIgnored(node) ? node : undefined;
}

/** What stands under such a name tells which rules there are. */
const RULES_NAME = /^\.(?:git|skein)ignore$/;

/** Gives the file of the last time where git has compared just that and found it the same, or no layer holds it. */
function createSameNode(
  { request: { pass, layer } }: Scanner,
  { path, previous, compared }: Place,
): (name: BytePath) => FileNode | undefined {
  const changed = layer ? layer.names(path) : pass?.dirty.get(path);
  if (!previous || !(layer ?? (pass && compared))) return () => undefined;
  return (name) => {
    const node = changed?.has(name) ? undefined : previous.entries.get(name);
    if (!node || node.kind === "folder") return undefined;
    return layer || (!node.racy && node === compared?.entries.get(name)) ? node : undefined;
  };
}

/** The names in a folder; those of the last time where its own times say that they are the same. */
function namesIn(
  scanner: Scanner,
  { path, previous, rulesChanged }: Place,
  stamp: string | undefined,
): Iterable<BytePath> | undefined {
  if (previous && stamp !== undefined && previous.stamp === stamp && !rulesChanged) {
    return new Set([...previous.entries.keys(), ...previous.ignored]);
  }
  try {
    return readdirSync(toSystemPath(joinBytePath(scanner.request.root, path)), { encoding: "latin1" });
  } catch (error) {
    if (path === "") throw error;
    noteUnreadable(scanner, path, error);
    return undefined;
  }
}

/** Whether git and the folder's own times say that all in it but its subfolders is as it was, and no other rule takes more. */
export function isQuiet(request: ScanRequest, place: Place, stamp: string | undefined): boolean {
  const { pass, selection } = request;
  const { path, previous, compared } = place;
  if (!pass || !previous || previous !== compared || stamp === undefined || stamp !== previous.stamp) return false;
  if (!isUnderSameRules(place)) return false;
  if (previous.mode !== (place.look.mode & 0o777) || pass.dirty.has(path) || !hasPlainRules(previous)) return false;
  if (summary(previous).largest > Math.min(request.sizeLimitBytes, MOST_BYTES)) return false;
  return ![...previous.ignored].some((name) => {
    const below = joinBytePath(path, name);
    const mayBeTaken = selection.takesFile(below) || selection.takesFolder(below) || selection.enters(below);
    return mayBeTaken || previous.entries.has(name);
  });
}

export function subfolders(folder: FolderNode): readonly (readonly [BytePath, FolderNode])[] {
  return summary(folder).folders;
}

/** Its ignore files are such as git has compared, or there are none. */
function hasPlainRules({ rules, entries }: FolderNode): boolean {
  const compared = [".gitignore", ".skeinignore"].filter((name) => entries.get(name)?.kind === "file");
  return compared.length === rules.split(",").filter((text) => text !== "" && !RULE_MARKERS.has(text)).length;
}

const summary = remembered((folder: FolderNode) => {
  const folders: (readonly [BytePath, FolderNode])[] = [];
  let largest = 0;
  for (const [name, node] of folder.entries) {
    if (node.kind === "folder") folders.push([name, node]);
    else if (node.kind === "file") largest = Math.max(largest, node.stat.size);
  }
  return { folders, largest };
});

/** Looks at every folder of a tree that was read before; those that cannot be looked at now are not in the answer. */
export function lookAtFolders(root: BytePath, tree: FolderNode | undefined): ReadonlyMap<FolderNode, Look> {
  const looks = new Map<FolderNode, Look>();
  const visit = (folder: FolderNode, path: BytePath): void => {
    for (const [name, below] of subfolders(folder)) {
      const at = joinBytePath(path, name);
      const stats = tryLookAt(toSystemPath(`${root}/${at}`));
      if (!stats?.isDirectory()) continue;
      looks.set(below, toLook(stats));
      visit(below, at);
    }
  };
  if (tree) visit(tree, "");
  return looks;
}

import { lstatSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BytePath, joinBytePath, lookAt, toSystemPath } from "../../git/index.ts";
import { RULE_MARKERS, type Withholding } from "../left-out/built-in-rules.ts";
import { leftOut } from "../left-out/list-left-out.ts";
import {
  type Child,
  folderStamp,
  isQuiet,
  isUnderSameRules,
  listChildren,
  MOST_BYTES,
  type Place,
  type Scanner,
  type ScanRequest,
  subfolders,
} from "./scan-place.ts";
import { type FileNode, type FolderNode, isSameStat, type Look, toLook, type TreeNode } from "./tree-node.ts";
import { holdsIgnored } from "./upper-layer.ts";

/** A folder as found, before its new files were read. */
export interface FoundFolder extends Pick<FolderNode, "mode" | "rules" | "stamp" | "ignored" | "withheld"> {
  readonly kind: "found";
  readonly path: BytePath;
  readonly files: Map<BytePath, FileNode | FoundFile>;
  readonly folders: Map<BytePath, FoundFolder | FolderNode>;
  readonly previous: FolderNode | undefined;
  /** The folder may be left out where nothing in it is taken. */
  readonly optional: boolean;
}

export interface FoundFile {
  readonly kind: "unread";
  readonly path: BytePath;
  readonly look: Look;
  readonly before: TreeNode | undefined;
}

export interface Scan extends Pick<Scanner, "leftOut" | "moved" | "attributes" | "looked"> {
  /** The tree of the last time itself, where all of it looks the same. */
  readonly folder: FoundFolder | FolderNode;
}

/** Looks at every file below a directory, without reading any and without following a link. */
export async function scanTree(request: ScanRequest): Promise<Scan> {
  const scanner: Scanner = { request, leftOut: [], moved: new Set(), attributes: [], seen: 0, looked: 0 };
  const { previous, pass, rulesChanged } = request;
  const look = toLook(lstatSync(toSystemPath(request.root)));
  const place = { path: "", look, previous, compared: pass?.compared, rulesChanged };
  const folder = await scanFolder(scanner, { ...place, insideIgnored: false, unruly: false });
  return { ...scanner, folder };
}

async function scanFolder(scanner: Scanner, place: Place): Promise<FoundFolder | FolderNode> {
  const { request } = scanner;
  request.signal?.throwIfAborted();
  if (place.previous && isUntouched(request, place, place.previous)) return place.previous;
  const stamp = place.insideIgnored ? undefined : folderStamp(place.look.stat, request.startedMs);
  if (place.previous && isQuiet(request, place, stamp)) return await scanQuiet(scanner, place, place.previous);
  const { children: listed, unheld, isPlain } = listChildren(scanner, place, stamp);
  await breathe(scanner, listed.length);
  const { rules, isUnruly } = rulesOf(listed);
  const rulesChanged = place.rulesChanged || rules !== (place.previous?.rules ?? "");
  const here = { ...place, rulesChanged, unruly: place.unruly || isUnruly };
  const isSettled = !here.rulesChanged && !here.unruly;
  const unheldNames = unheld.map(([name]) => name);
  const children = isSettled ? listed : [...listed, ...lookAtUnheld(scanner, place, unheldNames)];
  const { ignored, withheld } = await ignoredNames(request, here, children);
  const found = startFolder(place, { rules, stamp, ignored, withheld });
  if (isSettled) for (const [name, folder] of unheld) found.folders.set(name, folder);
  const folders: (() => Promise<void>)[] = [];
  let isWhole = isPlain;
  for (const child of children) {
    const isIgnored = place.insideIgnored || ignored.has(child.name);
    const { path } = child;
    if (child.look?.kind === "folder") {
      const { look } = child;
      const taken = isIgnored && request.selection.takesFolder(path);
      if (isIgnored && !taken && !request.selection.enters(path)) continue;
      const below = { ...here, ...childPlace(here, child.name), look, insideIgnored: isIgnored && !taken };
      folders.push(async () => void found.folders.set(child.name, await scanFolder(scanner, below)));
    } else if (!isIgnored || request.selection.takesFile(path)) {
      isWhole = takeFile(scanner, found, child) && isWhole;
    }
  }
  // Where git has to be asked, the questions go out together; what is known is cheaper looked at one by one.
  if (place.previous && !rulesChanged) for (const folder of folders) await folder();
  else await Promise.all(folders.map((folder) => folder()));
  return isWhole ? found : { ...found, stamp: undefined };
}

/** The rules have changed, and what they were for has to be gone through again. */
function lookAtUnheld({ request, moved }: Scanner, { path }: Place, names: readonly BytePath[]): readonly Child[] {
  return names.flatMap((name) => {
    const below = joinBytePath(path, name);
    const stats = lookAt(toSystemPath(`${request.root}/${below}`));
    if (!stats) moved.add(below);
    return stats ? [{ name, path: below, look: toLook(stats) }] : [];
  });
}

/** Whether an overlay's layer says that a folder is as it was, all the way down. */
function isUntouched({ layer }: ScanRequest, place: Place, previous: FolderNode): boolean {
  if (!layer || !isUnderSameRules(place)) return false;
  return layer.names(place.path) === undefined && !holdsIgnored(previous);
}

function tryLook(path: BytePath): Look | undefined {
  const stats = lookAt(toSystemPath(path));
  return stats && toLook(stats);
}

/** Goes on to the folders of a folder in which nothing else has changed. */
async function scanQuiet(scanner: Scanner, place: Place, previous: FolderNode): Promise<FoundFolder | FolderNode> {
  const { looks, root } = scanner.request;
  const folders = new Map<BytePath, FoundFolder | FolderNode>();
  let isSame = true;
  for (const [name, folder] of subfolders(previous)) {
    const below = childPlace(place, name);
    const look = looks.get(folder) ?? tryLook(`${root}/${below.path}`);
    // It went away after the folder that it is in was looked at.
    if (look?.kind !== "folder") scanner.moved.add(below.path);
    else folders.set(name, await scanFolder(scanner, { ...place, ...below, look }));
    isSame &&= folders.get(name) === folder;
  }
  await breathe(scanner, folders.size);
  if (isSame) return previous;
  const found = { ...startFolder(place, previous), folders };
  for (const [name, node] of previous.entries) if (node.kind !== "folder") found.files.set(name, node);
  return found;
}

function startFolder(
  { path, look, previous, insideIgnored }: Place,
  { rules, stamp, ignored, withheld }: Pick<FoundFolder, "rules" | "stamp" | "ignored" | "withheld">,
): FoundFolder {
  // Who owns what is made in a shared folder is no part of a snapshot: a restore leaves it as it is.
  const mode = look.mode & 0o777;
  const empty = { files: new Map(), folders: new Map() };
  return { kind: "found", path, mode, rules, stamp, ignored, withheld, ...empty, previous, optional: insideIgnored };
}

function childPlace({ path, previous, compared }: Place, name: BytePath) {
  const folderIn = (folder: FolderNode | undefined): FolderNode | undefined => {
    const node = folder?.entries.get(name);
    return node?.kind === "folder" ? node : undefined;
  };
  return { path: joinBytePath(path, name), previous: folderIn(previous), compared: folderIn(compared) };
}

/** The event loop belongs to others too: agents are running while their files are looked at. */
async function breathe(scanner: Scanner, seen: number): Promise<void> {
  scanner.seen += seen;
  if (scanner.seen <= 2000) return;
  scanner.seen = 0;
  await nextTurn();
}

/** A folder's ignore files, and what else the built-in rules go by, as a text, and whether git's own is of a kind that cannot be read. */
function rulesOf(children: readonly Child[]): { readonly rules: string; readonly isUnruly: boolean } {
  const files = children.filter(({ name }) => name === ".gitignore" || name === ".skeinignore");
  const texts = files.map((file) => {
    const { ino, size, mtimeMs, ctimeMs } = (file.look ?? file.node).stat;
    return `${file.name} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  });
  const markers = children.filter(({ name }) => RULE_MARKERS.has(name)).map(({ name }) => name);
  const isUnruly = files.find(({ name }) => name === ".gitignore")?.look?.kind === "special";
  return { rules: [...texts, ...markers].toSorted().join(","), isUnruly };
}

async function ignoredNames(request: ScanRequest, place: Place, children: readonly Child[]) {
  const withheld = new Map<BytePath, Withholding>();
  const ignored = new Set<BytePath>();
  if (place.insideIgnored) return { ignored, withheld };
  const known = isUnderSameRules(place) ? place.previous : undefined;
  const unknown: Child[] = [];
  for (const child of children) {
    const isFolder = child.look?.kind === "folder";
    const why = known?.withheld.get(child.name);
    // Rules may be about folders or about files alone: what has become the other is asked about again.
    const isFitting = why === undefined || (why === "heavy" ? child.look?.kind !== "file" : !isFolder);
    if (why !== undefined && isFitting) withheld.set(child.name, why);
    const before = known?.entries.get(child.name);
    if (isFitting && known?.ignored.has(child.name)) ignored.add(child.name);
    else if (!isFitting || before === undefined || (before.kind === "folder") !== isFolder) unknown.push(child);
  }
  const answers = await request.rules.ask(
    unknown.map(({ path }) => path),
    place.unruly,
  );
  for (const [index, { name }] of unknown.entries()) {
    const why = answers[index];
    if (why !== undefined) ignored.add(name);
    if (why !== undefined && why !== "named") withheld.set(name, why);
  }
  return { ignored, withheld };
}

/** Takes a file; false where it is left out. */
function takeFile(scanner: Scanner, found: FoundFolder, { name, path, look, node }: Child): boolean {
  const { request } = scanner;
  const { kind, stat } = look ?? node;
  const isFile = kind === "file";
  const isSpecial = !isFile && kind !== "symlink";
  const isLarge = stat.size > MOST_BYTES || (stat.size > request.sizeLimitBytes && !request.isRequired(path));
  if (isSpecial || (isFile && isLarge)) {
    scanner.leftOut.push(isSpecial ? leftOut(path, "special-file") : leftOut(path, "too-large", stat));
    return false;
  }
  const before = found.previous?.entries.get(name);
  if (node) found.files.set(name, node);
  else found.files.set(name, isKnown(before, look) ? before : { kind: "unread", path, look, before });
  return true;
}

function isKnown(before: TreeNode | undefined, look: Look): before is FileNode {
  if (!before || before.kind === "folder" || before.racy) return false;
  return isSameStat(before.stat, look.stat) && before.mode === look.mode;
}

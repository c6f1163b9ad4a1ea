import { lstatSync, readdirSync, type Stats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { joinBytePath, toSystemPath, toText, type BytePath } from "./byte-path.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import type { Selection } from "./include-pattern.ts";
import type { LeftOut } from "./snapshot-store.ts";
import { errorCode } from "./storage-error.ts";
import { isSameStat, type FileNode, type FolderNode } from "./tree-node.ts";

/** What a scan goes by. */
export interface ScanRequest {
  /** The directory's real path, as bytes. */
  readonly root: BytePath;
  /** What the last scan found; files that look the same are not read again. */
  readonly previous: FolderNode | undefined;
  /** Whether rules for the whole tree changed since, so that every name is asked about again. */
  readonly rulesChanged: boolean;
  readonly rules: IgnoreRules;
  /** Ignored files that are taken all the same. */
  readonly selection: Selection;
  /** Files that are taken whatever their size. */
  readonly required: ReadonlySet<BytePath>;
  readonly sizeLimitBytes: number;
  readonly startedMs: number;
  readonly signal: AbortSignal | undefined;
}

/** A folder as found, before its new files were read. */
export interface FoundFolder {
  readonly path: BytePath;
  readonly mode: number;
  readonly rules: string;
  readonly stamp: string | undefined;
  readonly ignored: Set<BytePath>;
  readonly files: Map<BytePath, FileNode | FoundFile>;
  readonly folders: Map<BytePath, FoundFolder>;
  readonly previous: FolderNode | undefined;
  /** The folder may be left out where nothing in it is taken. */
  readonly optional: boolean;
}

/** A file that has to be read. */
export interface FoundFile {
  readonly kind: "unread";
  readonly path: BytePath;
  readonly stats: Stats;
}

/** What lies below a directory. */
export interface Scan {
  readonly folder: FoundFolder;
  readonly leftOut: LeftOut[];
  readonly moved: Set<BytePath>;
}

/** Looks at every file below a directory, without reading any and without following a link. */
export async function scanTree(request: ScanRequest): Promise<Scan> {
  const scanner = { request, leftOut: [] as LeftOut[], moved: new Set<BytePath>(), seen: 0 };
  const stats = lstatSync(toSystemPath(request.root));
  const place = { path: "", stats, previous: request.previous, rulesChanged: request.rulesChanged };
  const folder = await scanFolder(scanner, { ...place, insideIgnored: false, unruly: false });
  return { folder, leftOut: scanner.leftOut, moved: scanner.moved };
}

interface Scanner {
  readonly request: ScanRequest;
  readonly leftOut: LeftOut[];
  readonly moved: Set<BytePath>;
  seen: number;
}

interface Place {
  readonly path: BytePath;
  readonly stats: Stats;
  readonly previous: FolderNode | undefined;
  readonly rulesChanged: boolean;
  /** The folder is ignored, and entered only for what is selected. */
  readonly insideIgnored: boolean;
  /** Its ignore file is something that git would wait on for ever, such as a pipe: its rules are not read. */
  readonly unruly: boolean;
}

interface Child {
  readonly name: BytePath;
  readonly stats: Stats;
}

async function scanFolder(scanner: Scanner, place: Place): Promise<FoundFolder> {
  const { request } = scanner;
  request.signal?.throwIfAborted();
  const stamp = place.insideIgnored ? undefined : folderStamp(place.stats, request.startedMs);
  const { children, isPlain } = listFolder(scanner, place, stamp);
  scanner.seen += children.length;
  // The event loop belongs to others too: agents are running while their files are looked at.
  if (scanner.seen > 2000) {
    scanner.seen = 0;
    await nextTurn();
  }
  const ruleFile = children.find(({ name }) => name === ".gitignore")?.stats;
  const rules = ruleFile ? `${ruleFile.ino} ${ruleFile.size} ${ruleFile.mtimeMs} ${ruleFile.ctimeMs}` : "";
  const rulesChanged = place.rulesChanged || rules !== (place.previous?.rules ?? "");
  const unruly =
    place.unruly ||
    (ruleFile !== undefined && !ruleFile.isFile() && !ruleFile.isSymbolicLink() && !ruleFile.isDirectory());
  const here = { ...place, rulesChanged, unruly };
  const ignored = await ignoredNames(request, here, children);
  const found: FoundFolder = {
    path: place.path,
    mode: place.stats.mode & 0o7777,
    rules,
    stamp,
    ignored,
    files: new Map(),
    folders: new Map(),
    previous: place.previous,
    optional: place.insideIgnored,
  };
  const folders: (() => Promise<void>)[] = [];
  let isWhole = isPlain;
  for (const child of children) {
    const isIgnored = place.insideIgnored || ignored.has(child.name);
    if (child.stats.isDirectory()) {
      const path = joinBytePath(place.path, child.name);
      const taken = isIgnored && request.selection.takesFolder(path);
      if (isIgnored && !taken && !request.selection.enters(path)) continue;
      folders.push(() => scanChild(scanner, found, child, { ...here, insideIgnored: isIgnored && !taken }));
    } else if (!isIgnored || request.selection.takesFile(joinBytePath(place.path, child.name))) {
      isWhole = takeFile(scanner, found, child) && isWhole;
    }
  }
  // Where git has to be asked, the questions go out together; what is known is cheaper looked at one by one.
  if (place.previous && !rulesChanged) for (const folder of folders) await folder();
  else await Promise.all(folders.map((folder) => folder()));
  return isWhole ? found : { ...found, stamp: undefined };
}

async function scanChild(scanner: Scanner, found: FoundFolder, child: Child, here: Place): Promise<void> {
  const before = here.previous?.entries.get(child.name);
  const previous = before?.kind === "folder" ? before : undefined;
  const folder = await scanFolder(scanner, {
    ...here,
    path: joinBytePath(here.path, child.name),
    stats: child.stats,
    previous,
  });
  found.folders.set(child.name, folder);
}

/** Everything in a folder but git's own; what cannot be looked at is listed as left out. */
function listFolder(
  scanner: Scanner,
  place: Place,
  stamp: string | undefined,
): { readonly children: readonly Child[]; readonly isPlain: boolean } {
  const { root, startedMs } = scanner.request;
  const { path } = place;
  const folder = path === "" ? root : `${root}/${path}`;
  const children: Child[] = [];
  let isPlain = true;
  for (const name of namesIn(scanner, { ...place, folder, stamp })) {
    if (GIT_NAME.test(name)) {
      if (name === ".git") continue;
      isPlain = false;
      scanner.leftOut.push({ path: toText(joinBytePath(path, name)), reason: "reserved-name", sizeBytes: 0 });
      continue;
    }
    try {
      const stats = lstatSync(toSystemPath(`${folder}/${name}`), { throwIfNoEntry: false });
      if (stats === undefined) scanner.moved.add(joinBytePath(path, name));
      else children.push({ name, stats });
      if (stats && stats.ctimeMs > startedMs && !stats.isDirectory()) scanner.moved.add(joinBytePath(path, name));
    } catch (error) {
      isPlain = false;
      noteUnreadable(scanner, joinBytePath(path, name), error);
    }
  }
  return { children, isPlain };
}

/** The names in a folder; those of the last time where its own times say that they are the same. */
function namesIn(
  scanner: Scanner,
  { path, folder, stamp, previous, rulesChanged }: Place & { folder: BytePath; stamp: string | undefined },
): Iterable<BytePath> {
  if (previous && stamp !== undefined && previous.stamp === stamp && !rulesChanged) {
    return [...previous.entries.keys(), ...previous.ignored];
  }
  try {
    return readdirSync(toSystemPath(folder), { encoding: "latin1" });
  } catch (error) {
    if (path === "") throw error;
    noteUnreadable(scanner, path, error);
    return [];
  }
}

/** A folder that changed just now may change again without its times telling. */
function folderStamp({ mtimeMs, ctimeMs, ino }: Stats, startedMs: number): string | undefined {
  return Math.max(mtimeMs, ctimeMs) > startedMs - RACY_MS ? undefined : `${ino} ${mtimeMs} ${ctimeMs}`;
}

async function ignoredNames(request: ScanRequest, place: Place, children: readonly Child[]): Promise<Set<BytePath>> {
  if (place.insideIgnored) return new Set();
  const { previous } = place;
  const known = place.rulesChanged || place.unruly ? undefined : previous;
  const ignored = new Set<BytePath>();
  const unknown: Child[] = [];
  for (const child of children) {
    if (known?.ignored.has(child.name)) ignored.add(child.name);
    else if (!known?.entries.has(child.name)) unknown.push(child);
  }
  if (place.unruly) return ignored;
  const answers = await request.rules.ask(unknown.map(({ name }) => joinBytePath(place.path, name)));
  for (const [index, child] of unknown.entries()) if (answers[index]) ignored.add(child.name);
  return ignored;
}

/** Takes a file; false where it is left out. */
function takeFile(scanner: Scanner, found: FoundFolder, { name, stats }: Child): boolean {
  const { request, leftOut } = scanner;
  const before = found.previous?.entries.get(name);
  const isSame = before && before.kind !== "folder" && !before.racy && isSameStat(before.stat, stats);
  const path = joinBytePath(found.path, name);
  if (!stats.isFile() && !stats.isSymbolicLink()) {
    leftOut.push({ path: toText(path), reason: "special-file", sizeBytes: 0 });
    return false;
  }
  const limit = request.required.has(path) ? MOST_BYTES : Math.min(request.sizeLimitBytes, MOST_BYTES);
  if (stats.isFile() && stats.size > limit) {
    leftOut.push({ path: toText(path), reason: "too-large", sizeBytes: stats.size });
    return false;
  }
  const isKnown = isSame && before.mode === (stats.mode & 0o7777);
  found.files.set(name, isKnown ? before : { kind: "unread", path, stats });
  return true;
}

function noteUnreadable(scanner: Scanner, path: BytePath, error: unknown): void {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") scanner.moved.add(path);
  else scanner.leftOut.push({ path: toText(path), reason: "unreadable", sizeBytes: 0 });
}

/** Git holds no entry of this name in any case; `.git` itself is not the workspace's content. */
const GIT_NAME = /^\.git$/i;

/** The coarsest clock of the file systems in use. */
export const RACY_MS = 2000;

/** Files are read whole, and Node reads no more than this. */
const MOST_BYTES = 2 ** 31 - 1;

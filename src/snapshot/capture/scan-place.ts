import type { Stats } from "node:fs";
import { type BytePath, errorCode, toText } from "../../git/index.ts";
import type { IgnoreRules } from "../left-out/ignore-rules.ts";
import type { Selection } from "../left-out/selection.ts";
import type { LeftOut } from "../snapshot-store.ts";
import type { StatPass } from "./stat-pass.ts";
import type { FileNode, FolderNode } from "./tree-node.ts";
import type { UpperLayer } from "./upper-layer.ts";

/** What a scan goes by. */
export interface ScanRequest {
  /** The directory's real path, as bytes. */
  readonly root: BytePath;
  /** What the last scan found; files that look the same are not read again. */
  readonly previous: FolderNode | undefined;
  /** What git found to look the same; these files are not looked at again. */
  readonly pass: StatPass | undefined;
  /** Looks at the folders of the last scan that were taken since this capture began. */
  readonly looks: ReadonlyMap<FolderNode, Stats>;
  /** All that can have changed since the last scan, where the directory is an overlay. */
  readonly layer: UpperLayer | undefined;
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

/** A scan under way. */
export interface Scanner {
  readonly request: ScanRequest;
  readonly leftOut: LeftOut[];
  readonly moved: Set<BytePath>;
  /** How many files were looked at since others had their turn. */
  seen: number;
  /** How many files were looked at in all. */
  looked: number;
}

/** The folder that a scan is at. */
export interface Place {
  readonly path: BytePath;
  readonly stats: Stats;
  readonly previous: FolderNode | undefined;
  /** The folder as git has compared it. */
  readonly compared: FolderNode | undefined;
  readonly rulesChanged: boolean;
  /** The folder is ignored, and entered only for what is selected. */
  readonly insideIgnored: boolean;
  /** Its ignore file is something that git would wait on for ever, such as a pipe: its rules are not read. */
  readonly unruly: boolean;
}

/** A name in a folder: looked at, or known to look the same. */
export type Child =
  | { readonly name: BytePath; readonly stats: Stats; readonly node?: undefined }
  | { readonly name: BytePath; readonly node: FileNode; readonly stats?: undefined };

/** A folder in a folder that no layer holds: it is as it was, all the way down, unless the rules above it have changed. */
export interface UnheldFolder {
  readonly name: BytePath;
  readonly folder: FolderNode;
}

/** The coarsest clock of the file systems in use; git compares whole seconds. */
export const RACY_MS = 2000;

/** Files are read whole, and Node reads no more than this. */
export const MOST_BYTES = 2 ** 31 - 1;

/** A folder that changed just now may change again without its times telling. */
export function folderStamp({ mtimeMs, ctimeMs, ino }: Stats, startedMs: number): string | undefined {
  return Math.max(mtimeMs, ctimeMs) > startedMs - RACY_MS ? undefined : `${ino} ${mtimeMs} ${ctimeMs}`;
}

/** Notes what could not be looked at: gone in the meantime, or closed to us. */
export function noteUnreadable(scanner: Scanner, path: BytePath, error: unknown): void {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") scanner.moved.add(path);
  else scanner.leftOut.push({ path: toText(path), reason: "unreadable", sizeBytes: 0 });
}

import type { UserHead } from "../git/index.ts";

/** A snapshot's name: the id of a git tree. Equal files and equal git state have equal ids. */
export type SnapshotId = string;

/** Where files are kept as content-addressed pictures; the one seam between agents and their files. */
export interface SnapshotStore extends AsyncDisposable {
  /** Takes a picture of a directory. The directory and its repository are only read. */
  capture(directory: string, options?: CaptureOptions): Promise<Snapshot>;
  /** Makes a directory equal to a snapshot, and proves it; what is overwritten is captured first. */
  restore(id: SnapshotId, directory: string, options?: RestoreOptions): Promise<Restoration>;
  /** Tells what differs between two snapshots, ordered by path. */
  diff(from: SnapshotId, to: SnapshotId): Promise<readonly FileChange[]>;
  /** The files and links of a snapshot, ordered by the bytes of their paths; each folder is read when its turn comes. */
  files(id: SnapshotId): AsyncGenerator<SnapshotFile, void, void>;
  /** Reads one file of a snapshot, or the target of a link. */
  read(id: SnapshotId, path: string | Uint8Array): Promise<Buffer>;
  /** Writes a snapshot into a directory that is empty or not there yet, with a repository that borrows the workspace's. */
  materialise(id: SnapshotId, directory: string, options?: MaterialiseOptions): Promise<Materialisation>;
  /** The difference of two snapshots as a unified patch, of all files or of one. */
  patch(from: SnapshotId, to: SnapshotId, path?: string | Uint8Array): Promise<string>;
  /** Checks that every snapshot is there and whole; gives what is wrong, nothing where all is well. */
  verify(): Promise<readonly string[]>;
  /** Ends the processes behind the store. A second call does nothing. */
  close(): Promise<void>;
}

/** What a snapshot takes beside the files that no ignore rule names. */
export interface CaptureOptions {
  /** Ignored files to take all the same, as globs from the root: `.env`, `config/*.local`, or any depth with two stars. */
  readonly include?: readonly string[];
  /** Larger files are left out and listed. */
  readonly sizeLimitBytes?: number;
  /** Whether the snapshot tells what ignore files keep out of it. */
  readonly listsIgnored?: boolean;
  readonly signal?: AbortSignal;
}

/** How a restore goes about it; `include` and `sizeLimitBytes` say what the snapshot before it takes. */
export interface RestoreOptions extends CaptureOptions {
  /** Only tell what would change. */
  readonly dryRun?: boolean;
  /** Paths that are not deleted, nor what is below them: the snapshot's capture had left out what was there. */
  readonly spare?: readonly string[];
}

/** How a snapshot is written into a directory. */
export interface MaterialiseOptions {
  /** Where the repository is borrowed from and folders are carried over from; the store's workspace by default. */
  readonly origin?: string;
  /** Ignored folders and files of the origin that are copied too, such as `node_modules`; paths from its root. */
  readonly carry?: readonly string[] | undefined;
  /** Larger files are carried also where no rule ignores them, for captures leave them out; 50 MB by default. */
  readonly sizeLimitBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a directory that a snapshot was written into became. */
export interface Materialisation {
  /** `absent` where the snapshot holds no repository state, or the origin has lost the commit. */
  readonly git: "restored" | "absent";
}

/** A picture of a directory at the moment when its capture began. */
export interface Snapshot {
  readonly id: SnapshotId;
  /** What is in the directory and not in the snapshot, apart from what ignore files name. */
  readonly leftOut: readonly LeftOut[];
  /** What ignore files keep out of it, a folder as one path; only where that was asked for. */
  readonly ignored?: readonly string[];
  /** Paths that changed while they were being captured: they may be later than the rest. */
  readonly moved: readonly string[];
  /** The state of the repository whose root the directory is, where it is one. */
  readonly git?: GitState;
}

/** Something that a snapshot could not or may not hold; `secret` and `heavy` are the built-in rules' word. */
export interface LeftOut {
  readonly path: string;
  readonly reason: "too-large" | "unreadable" | "special-file" | "reserved-name" | "repository" | "secret" | "heavy";
  readonly sizeBytes: number;
  /** When its content was last changed; only of files, by the file system's word. */
  readonly changedAt?: string;
}

/** Where the user's repository stood. */
export interface GitState extends UserHead {
  /** The id of the blob that lists what was staged. */
  readonly indexId?: string;
  /** Git's own files about a merge, rebase or the like that was not finished: name in `.git`, one character for a byte. */
  readonly unfinished?: Readonly<Record<string, string>>;
}

/** What a restore did, or would do. */
export interface Restoration {
  readonly changes: readonly FileChange[];
  /** What the directory was before; restore it to undo the restore. */
  readonly undo: SnapshotId;
  /** What came since and was left because no snapshot holds what was there: files that were ignored or left out, folders with a `.git` in them. */
  readonly kept: readonly string[];
  /**
   * What became of the repository's state; `absent` where the snapshot holds none, `missing` where it holds one and no repository is
   * there to put it back into.
   */
  readonly git: "same" | "restored" | "absent" | "missing" | "would-restore";
}

/** A file, link or folder as a snapshot holds it. */
export interface FileState {
  readonly kind: "file" | "symlink" | "directory";
  /** The permission bits; 0o777 for a link. */
  readonly mode: number;
  /** The id of the content; none for a folder. */
  readonly contentId?: string;
}

/** A path from the root. `pathBytes` is there where the name is not UTF-8; `path` then only shows it. */
interface StoredPath {
  readonly path: string;
  readonly pathBytes?: Uint8Array;
}

/** A file or a link that a snapshot holds. */
export interface SnapshotFile extends StoredPath {
  readonly kind: "file" | "symlink";
  /** The permission bits; 0o777 for a link. */
  readonly mode: number;
  /** Of the content; of a link, of the path that it leads to. */
  readonly sizeBytes: number;
  /** The id of the content: equal contents have equal ids, in every snapshot. */
  readonly contentId: string;
}

/** One difference between two snapshots. Folders appear where they are empty or where their mode changed. */
export type FileChange =
  | (StoredPath & { readonly type: "created"; readonly after: FileState })
  | (StoredPath & { readonly type: "deleted"; readonly before: FileState })
  | (StoredPath & { readonly type: "modified"; readonly before: FileState; readonly after: FileState })
  | (StoredPath & {
      readonly type: "renamed";
      readonly from: string;
      readonly fromBytes?: Uint8Array;
      /** How much of the content stayed, in percent. */
      readonly similarity: number;
      readonly before: FileState;
      readonly after: FileState;
    });

import { type Dirent, type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { type SkippedPath, toSkipped } from "../problem.ts";

export interface FolderListener {
  /** A transcript; `wasThere` where its folder could not be read when it came. */
  onFile(path: string, wasThere: boolean): void;
  onGone(path: string): void;
}

/** More folders than this are looked at in turn; a system has only so many watchers. */
const MOST_WATCHERS = 1000;
/** A folder that was written so shortly before it was listed may have been written again without its time changing. */
const RACY_MS = 2000;

interface Folder {
  readonly identity: string;
  stamp: string | undefined;
  listedAtMs: number;
  names: ReadonlySet<string>;
  watcher: FSWatcher | undefined;
  isUnreadable: boolean;
}

/** The folders of a history: the one of the projects' folders, and those. They are watched until it is closed. */
export class WatchedFolders {
  readonly #base: string;
  readonly #inTurn: number;
  readonly #listener: FolderListener;
  readonly #own = createFolder("");
  readonly #folders = new Map<string, Folder>();
  readonly #identities = new Set<string>();
  readonly #owners = new Set<string>();
  readonly #told = new Set<string>();
  #turn: string[] = [];
  #watchers = 0;

  constructor(base: string, inTurn: number, listener: FolderListener) {
    this.#base = base;
    this.#inTurn = inTurn;
    this.#listener = listener;
  }

  /** Lists the folders that have changed; gives those that can no longer be read. */
  find(nowMs: number): readonly SkippedPath[] {
    const skipped: SkippedPath[] = [];
    this.#attempt(this.#base, this.#own, skipped, () => {
      for (const { name } of this.#list(this.#base, this.#own, nowMs) ?? []) this.#add(join(this.#base, name));
      this.#own.isUnreadable = false;
    });
    const stale = [...this.#folders].filter(([, { stamp }]) => stamp === undefined).map(([folder]) => folder);
    if (this.#turn.length === 0) this.#turn = [...this.#folders.keys()];
    for (const folder of new Set([...stale, ...this.#turn.splice(0, this.#inTurn)])) {
      const known = this.#folders.get(folder);
      if (known !== undefined) this.#attempt(folder, known, skipped, () => this.#listProject(folder, known, nowMs));
    }
    return skipped;
  }

  owners(): readonly string[] {
    return [...this.#owners];
  }

  told(): readonly string[] {
    const paths = [...this.#told];
    this.#told.clear();
    return paths;
  }

  close(): void {
    for (const { watcher } of [this.#own, ...this.#folders.values()]) watcher?.close();
  }

  /** Two links to one folder are one project. */
  #add(folder: string): void {
    const identity = this.#folders.has(folder) ? undefined : identityOf(folder);
    if (identity === undefined || this.#identities.has(identity)) return;
    this.#identities.add(identity);
    this.#folders.set(folder, createFolder(identity));
  }

  /** The entries of a folder; undefined where it is as it was. */
  #list(folder: string, known: Folder, nowMs: number): readonly Dirent[] | undefined {
    const { mtimeMs, ino } = statSync(folder);
    const stamp = `${ino}:${mtimeMs}`;
    if (known.stamp === stamp && known.listedAtMs - mtimeMs > RACY_MS) return undefined;
    known.watcher ??= this.#startWatcher(folder, known);
    [known.stamp, known.listedAtMs] = [stamp, nowMs];
    return readdirSync(folder, { withFileTypes: true });
  }

  #listProject(folder: string, known: Folder, nowMs: number): void {
    const entries = this.#list(folder, known, nowMs);
    if (entries === undefined) return;
    const names = new Set<string>();
    for (const entry of entries) {
      if (entry.name.endsWith(".jsonl")) names.add(entry.name);
      else if (entry.isDirectory()) this.#owners.add(join(folder, entry.name));
    }
    for (const name of names) if (!known.names.has(name)) this.#listener.onFile(join(folder, name), known.isUnreadable);
    for (const name of known.names) if (!names.has(name)) this.#listener.onGone(join(folder, name));
    Object.assign(known, { names, isUnreadable: false });
  }

  /** What cannot be read is told once. A folder that was deleted is nothing to tell: its project is gone. */
  #attempt(path: string, known: Folder, skipped: SkippedPath[], work: () => void): void {
    try {
      work();
    } catch (error) {
      const skip = toSkipped(path, error);
      if (skip.code === "ENOENT") this.#forget(path, known);
      else if (!known.isUnreadable) skipped.push(skip);
      Object.assign(known, { isUnreadable: skip.code !== "ENOENT", stamp: undefined });
    }
  }

  #forget(folder: string, known: Folder): void {
    known.watcher?.close();
    for (const name of known.names) this.#listener.onGone(join(folder, name));
    this.#folders.delete(folder);
    this.#identities.delete(known.identity);
    Object.assign(known, { names: new Set<string>(), watcher: undefined });
  }

  #startWatcher(folder: string, known: Folder): FSWatcher | undefined {
    if (this.#watchers >= MOST_WATCHERS) return undefined;
    try {
      const watcher = watch(folder, (event, name) => {
        if (name !== null) this.#told.add(join(folder, name));
        if (event === "rename" || name === null) known.stamp = undefined;
      });
      this.#watchers += 1;
      return watcher.on("error", () => watcher.close());
    } catch {
      // The system has none left, or the folder is gone: looking in turn must do.
      return undefined;
    }
  }
}

function createFolder(identity: string): Folder {
  return { identity, stamp: undefined, listedAtMs: 0, names: new Set(), watcher: undefined, isUnreadable: false };
}

/** Device and inode of a folder; undefined for what is none, such as a link in a circle. */
function identityOf(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}

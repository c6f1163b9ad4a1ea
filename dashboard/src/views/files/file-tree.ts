import type { DiffData, FileList } from "../../../../src/monitor/api-types.ts";

export type FileItem = FileList["files"][number];
export type ChangeType = DiffData["changes"][number]["type"];

export type Changes = readonly DiffData["changes"][number][];

/** A line of the tree: a folder, or a file with what became of it since the state before. */
export interface FileRow {
  readonly path: string;
  readonly name: string;
  readonly level: number;
  readonly isFolder: boolean;
  readonly isOpen: boolean;
  readonly item: FileItem | undefined;
  readonly change: ChangeType | undefined;
  /** How many files below a folder are different. */
  readonly changed: number;
  readonly place: number;
  readonly siblings: number;
}

interface Folder {
  readonly path: string;
  readonly name: string;
  readonly folders: Map<string, Folder>;
  readonly files: { readonly name: string; readonly path: string; readonly item: FileItem | undefined }[];
  changed: number;
}

export interface FileTree {
  readonly root: Folder;
  readonly changes: ReadonlyMap<string, ChangeType>;
}

/** Puts paths into folders; files that the state does not have any more are there too, as deleted. */
export function createFileTree(files: readonly FileItem[], changes: Changes): FileTree {
  const root = newFolder("", "");
  const byPath = new Map(changes.map(({ path, type }) => [path, type]));
  const deleted = changes.filter(({ type }) => type === "deleted").map(({ path }) => ({ path, item: undefined }));
  for (const { path, item } of [...files.map((each) => ({ path: each.path, item: each })), ...deleted]) {
    const parts = path.split("/");
    const name = parts.pop() ?? path;
    let folder = root;
    const isChanged = byPath.has(path);
    if (isChanged) root.changed += 1;
    for (const part of parts) {
      const known = folder.folders.get(part);
      const next = known ?? newFolder(folder.path === "" ? part : `${folder.path}/${part}`, part);
      if (!known) folder.folders.set(part, next);
      if (isChanged) next.changed += 1;
      folder = next;
    }
    folder.files.push({ name, path, item });
  }
  return { root, changes: byPath };
}

function newFolder(path: string, name: string): Folder {
  return { path, name, folders: new Map(), files: [], changed: 0 };
}

/** The lines that are seen: folders before files, each by name. */
export function fileRows({ root, changes }: FileTree, isOpen: (path: string) => boolean): readonly FileRow[] {
  const rows: FileRow[] = [];
  const add = (folder: Folder, level: number): void => {
    const folders = [...folder.folders.values()].toSorted(byName);
    const files = folder.files.toSorted(byName);
    const siblings = folders.length + files.length;
    let place = 0;
    for (const each of folders) {
      const open = isOpen(each.path);
      const { path, name, changed } = each;
      rows.push({
        path,
        name,
        level,
        isFolder: true,
        isOpen: open,
        item: undefined,
        change: undefined,
        changed,
        place,
        siblings,
      });
      place += 1;
      if (open) add(each, level + 1);
    }
    for (const { path, name, item } of files) {
      const change = changes.get(path);
      rows.push({ path, name, level, isFolder: false, isOpen: false, item, change, changed: 0, place, siblings });
      place += 1;
    }
  };
  add(root, 0);
  return rows;
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}

/** The folders above a path. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, place) => parts.slice(0, place + 1).join("/"));
}

import { readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { dataHome, systemClock } from "../../core/internal.ts";
import { tryLookAt } from "../../git/index.ts";
import { hasStore, readDescription, storeOf, type WorkspaceFile } from "../../snapshot/index.ts";
import { createStateStore, type StateStore } from "../states/state-store.ts";
import type { Workspace } from "../workspace.ts";

/** A store below Skein's home, whose workspace may be gone. */
export interface FoundStore {
  readonly workspace: string;
  readonly home: string;
  readonly gitDirectory: string;
}

/** Finds every store below Skein's home; nothing in them is looked at. */
export async function findStores(home: string = dataHome()): Promise<readonly FoundStore[]> {
  const found = await listDescriptions(join(home, "workspaces"));
  const stores = found.filter(({ folder, file }) => !file.branchOf && hasStore(folder));
  return stores.map(({ folder, file }) => ({
    workspace: file.path,
    home: folder,
    gitDirectory: join(folder, "store.git"),
  }));
}

/** The folders of stores that say nothing that can be read of whose they are: a newer version wrote it, or it is damaged. */
export async function findUnreadableStores(home: string): Promise<readonly string[]> {
  const workspaces = join(home, "workspaces");
  const names: readonly string[] = await readdir(workspaces).catch(() => []);
  const folders = names.map((name) => join(workspaces, name)).filter(hasStore);
  const readable = new Set((await listDescriptions(workspaces)).map(({ folder }) => folder));
  return folders.filter((folder) => !readable.has(folder));
}

/** The folders that say which workspace or branch they are for, in the order of their names, and what they say. */
export async function listDescriptions(workspaces: string) {
  const found: { readonly folder: string; readonly file: WorkspaceFile }[] = [];
  const names: readonly string[] = await readdir(workspaces).catch(() => []);
  for (const name of names.toSorted()) {
    const file = await readDescription(join(workspaces, name));
    if (file) found.push({ folder: join(workspaces, name), file });
  }
  return found;
}

/** Whether anything was ever recorded of a directory, by its real path. Nothing is made. */
export async function storeExists(realPath: string, home?: string): Promise<boolean> {
  return hasStore((await storeOf(realPath, home)).home);
}

/** Opens the states of a store to read them; its workspace need not be there. */
export function openStates(store: FoundStore): StateStore {
  return createStateStore(store, systemClock);
}

/** The workspaces that lie in another one's directory: their files are recorded and restored with it, too. */
export async function findNestedWorkspaces({
  path,
  home,
}: Pick<Workspace, "path" | "home">): Promise<readonly string[]> {
  const found = await listDescriptions(dirname(home));
  const below = found.flatMap(({ file }) => (file.branchOf ? [] : [file.path]));
  const above = path === sep ? sep : `${path}${sep}`;
  return below.filter((inner) => inner.startsWith(above) && tryLookAt(inner) !== undefined).toSorted();
}

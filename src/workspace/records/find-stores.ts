import { lstat, readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { dataHome, systemClock } from "../../core/index.ts";
import { hasStore, readDescription, storeOf } from "../../snapshot/index.ts";
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
  const folder = join(home, "workspaces");
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const stores: FoundStore[] = [];
  for (const name of names.toSorted()) {
    const file = await readDescription(join(folder, name));
    if (!file || file.branchOf || !hasStore(join(folder, name))) continue;
    stores.push({ workspace: file.path, home: join(folder, name), gitDirectory: join(folder, name, "store.git") });
  }
  return stores;
}

/** Whether anything was ever recorded of a directory, by its real path. Nothing is made. */
export async function storeExists(realPath: string, home?: string): Promise<boolean> {
  return hasStore((await storeOf(realPath, home)).home);
}

/** Opens the states of a store to read them; its workspace need not be there. */
export function openStates({ workspace, home, gitDirectory }: FoundStore): StateStore {
  return createStateStore({ workspace, home, gitDirectory }, systemClock);
}

/** The workspaces that lie in another one's directory: their files are recorded and restored with it, too. */
export async function findNestedWorkspaces({
  path,
  home,
}: Pick<Workspace, "path" | "home">): Promise<readonly string[]> {
  const workspaces = dirname(home);
  const names = await readdir(workspaces).catch(() => []);
  const descriptions = await Promise.all(names.map((name) => readDescription(join(workspaces, name))));
  const below = descriptions.flatMap((file) => (file && !file.branchOf ? [file.path] : []));
  const nested: string[] = [];
  for (const inner of below.filter((each) => each.startsWith(path === sep ? sep : `${path}${sep}`)).toSorted()) {
    if (await lstat(inner).catch(() => undefined)) nested.push(inner);
  }
  return nested;
}

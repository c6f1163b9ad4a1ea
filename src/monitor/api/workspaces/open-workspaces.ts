import { lstat, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { SkeinError } from "../../../core/internal.ts";
import { TraceIndex } from "../../../trace/internal.ts";
import { findStores, findUnreadableStores, Workspace, type FoundStore } from "../../../workspace/internal.ts";
import { notFound } from "../not-found.ts";

/** A workspace that is kept open, with the index of what is recorded in it. */
export interface OpenedWorkspace {
  readonly workspace: Workspace;
  readonly index: TraceIndex;
}

/** The workspaces of a data folder. Those that were asked for last stay open: opening one takes longer than asking it. */
export interface OpenWorkspaces extends AsyncDisposable {
  list(): Promise<readonly { readonly id: string; readonly store: FoundStore }[]>;
  /** Works with a workspace, by the name of its folder; it is open as long as the work takes. */
  use<Value>(id: string, work: (opened: OpenedWorkspace) => Promise<Value>): Promise<Value>;
}

const MOST_OPEN = 8;

interface Kept {
  readonly opening: Promise<OpenedWorkspace>;
  users: number;
}

export function createOpenWorkspaces(dataHome: string): OpenWorkspaces {
  const kept = new Map<string, Kept>();

  async function list(): ReturnType<OpenWorkspaces["list"]> {
    return (await findStores(dataHome)).map((store) => ({ id: basename(store.home), store }));
  }

  async function open(id: string): Promise<OpenedWorkspace> {
    // It is looked for among those that there are: no path is made of what somebody asks for.
    const store = (await list()).find((found) => found.id === id)?.store;
    if (!store) throw (await unreadable(dataHome, id)) ?? notFound("workspace", id);
    await requireDirectory(store.workspace);
    const workspace = await Workspace.open(store.workspace, { home: dataHome });
    return { workspace, index: await TraceIndex.open(workspace) };
  }

  async function close(id: string): Promise<void> {
    const opened = await kept.get(id)?.opening.catch(() => undefined);
    kept.delete(id);
    await opened?.index.close();
    await opened?.workspace.close();
  }

  async function closeIdle(): Promise<void> {
    for (const [id, { users }] of kept) {
      if (kept.size <= MOST_OPEN) return;
      if (users === 0) await close(id);
    }
  }

  return {
    list,
    async use(id, work) {
      const entry = kept.get(id) ?? { opening: open(id), users: 0 };
      // The last that is used is the last in order.
      kept.delete(id);
      kept.set(id, entry);
      entry.users += 1;
      try {
        const opened = await entry.opening.catch((error: unknown) => {
          if (kept.get(id) === entry) kept.delete(id);
          throw error;
        });
        // It may have gone, or become a link to somebody else's, since it was opened.
        await requireDirectory(opened.workspace.path);
        return await work(opened);
      } finally {
        entry.users -= 1;
        await closeIdle();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const id of kept.keys()) await close(id);
    },
  };
}

async function unreadable(dataHome: string, id: string): Promise<SkeinError | undefined> {
  const folder = (await findUnreadableStores(dataHome)).find((found) => basename(found) === id);
  if (folder === undefined) return undefined;
  const path = join(folder, "workspace.json");
  return new SkeinError(`${path} says nothing that this version of Skein can read`, {
    kind: "parse",
    target: path,
    hint: "It was written by a newer version of Skein, or is damaged; update Skein, or see skein doctor",
  });
}

/** Opening a workspace would make its directory. One that was put elsewhere behind a link, or a folder above it was, is another. */
export async function requireDirectory(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() && (await realpath(path)) === path) return;
  throw new SkeinError(`The workspace ${path} is gone`, {
    kind: "filesystem",
    target: path,
    hint: "skein relink attaches its record to where it is now",
  });
}

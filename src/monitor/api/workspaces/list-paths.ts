import { runGit } from "../../../git/index.ts";
import type { Workspace } from "../../../workspace/internal.ts";

/** The paths of the files that a workspace's head holds, as text; asked for with each key that somebody types, so the last listing is kept. */
export function createPathLists() {
  const kept = new WeakMap<Workspace, { readonly tree: string; readonly paths: Promise<readonly string[]> }>();
  return async (workspace: Workspace): Promise<readonly string[]> => {
    const { states, gitDirectory } = workspace;
    const head = (await states.head())?.stateId;
    const tree = head === undefined ? undefined : (await states.read(head)).entries.get("files")?.oid;
    if (tree === undefined) return [];
    const known = kept.get(workspace);
    if (known?.tree === tree) return await known.paths;
    const paths = list(gitDirectory, tree);
    kept.set(workspace, { tree, paths });
    paths.catch(() => kept.delete(workspace));
    return await paths;
  };
}

/** A state may come from somebody else, and its names may be made of anything: what is no plain text is left out. */
async function list(gitDirectory: string, tree: string): Promise<readonly string[]> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree];
  const listed = await runGit({ gitDirectory, args, mostOutputBytes: MOST_BYTES, signal: AbortSignal.timeout(10_000) });
  return listed
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "" && !/[\p{Cc}\uFFFD]/u.test(path));
}

const MOST_BYTES = 64 * 1024 ** 2;

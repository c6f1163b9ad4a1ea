import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BytePath, writeLooseTree, runGit, parseTreeEntries } from "../git/index.ts";
import { EMPTY_TREE } from "./diff-snapshots.ts";

/**
 * Makes trees that hold one path of others and nothing else, for as long as some work takes. A program's arguments are
 * text, so git cannot be told by them of a path that is none.
 */
export async function withNarrowTrees<T>(
  gitDirectory: string,
  trees: readonly string[],
  path: BytePath,
  work: (narrow: readonly string[], env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const place = await mkdtemp(join(tmpdir(), "skein-trees-"));
  try {
    await mkdir(join(place, "objects"));
    const narrow: string[] = [];
    for (const tree of trees) narrow.push((await narrowTree(gitDirectory, place, { tree, path })) ?? EMPTY_TREE);
    return await work(narrow, { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(place, "objects")) });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function narrowTree(
  gitDirectory: string,
  place: string,
  { tree, path }: { readonly tree: string; readonly path: BytePath },
): Promise<string | undefined> {
  const slash = path.indexOf("/");
  const name = slash === -1 ? path : path.slice(0, slash);
  const content = await runGit({ gitDirectory, args: ["cat-file", "tree", tree] });
  const entry = parseTreeEntries(content).find((each) => each.name === name);
  if (!entry || (slash !== -1 && entry.mode !== "40000")) return undefined;
  const below = { tree: entry.oid, path: path.slice(slash + 1) };
  const oid = slash === -1 ? entry.oid : await narrowTree(gitDirectory, place, below);
  return oid === undefined ? undefined : await writeLooseTree(place, [{ ...entry, oid }]);
}

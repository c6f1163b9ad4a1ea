import { isUtf8 } from "node:buffer";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BytePath,
  bytesUnlessText,
  MOST_LISTING_BYTES,
  parseTreeEntries,
  runGit,
  toBytePath,
  toText,
  writeLooseTree,
} from "../git/index.ts";
import { EMPTY_TREE } from "./diff-snapshots.ts";
import { type SnapshotReader, topEntries } from "./snapshot-reader.ts";

interface PatchRequest {
  readonly from: string;
  readonly to: string;
  /** One file or folder; all where it is left out. */
  readonly path?: string | Uint8Array | undefined;
}

/**
 * Gives the difference of two snapshots as a unified patch that `git apply` takes. A name that is not UTF-8 is quoted, as
 * git does; content that is not, and that git takes for text, cannot be told whole in a text.
 */
export async function patchSnapshots(reader: SnapshotReader, { from, to, path }: PatchRequest): Promise<string> {
  const tree = async (id: string): Promise<string> => (await topEntries(reader, id)).get("files") ?? EMPTY_TREE;
  const [before, after] = [await tree(from), await tree(to)];
  const bytes = path === undefined ? undefined : toBytePath(path);
  const plain = await diffTrees(reader, { before, after, path: bytes, quoted: false });
  const output = isUtf8(plain) ? plain : await diffTrees(reader, { before, after, path: bytes, quoted: true });
  return output.toString("utf8");
}

interface TreePair {
  readonly before: string;
  readonly after: string;
  readonly path: BytePath | undefined;
  readonly quoted: boolean;
}

async function diffTrees(
  { repository: { gitDirectory } }: SnapshotReader,
  { before, after, path, quoted }: TreePair,
): Promise<Buffer> {
  const options = ["-p", "-r", "-M", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color"];
  const settings = [`core.quotePath=${quoted}`, "core.bigFileThreshold=32m"];
  const limits = { gitDirectory, settings, mostOutputBytes: MOST_LISTING_BYTES };
  const args = (trees: readonly string[]): readonly string[] => ["diff-tree", ...options, ...trees];
  if (path === undefined) return await runGit({ ...limits, args: args([before, after]) });
  if (bytesUnlessText(path) === undefined)
    return await runGit({ ...limits, args: [...args([before, after]), "--", toText(path)] });
  return await withNarrowTrees(gitDirectory, [before, after], path, (trees, env) =>
    runGit({ ...limits, env, args: args(trees) }),
  );
}

/**
 * Makes trees that hold one path of others and nothing else, for as long as some work takes. A program's arguments are
 * text, so git cannot be told by them of a path that is none.
 */
async function withNarrowTrees<T>(
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

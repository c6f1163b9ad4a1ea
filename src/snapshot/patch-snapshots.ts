import { isUtf8 } from "node:buffer";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BytePath,
  bytesUnlessText,
  MOST_LISTING_BYTES,
  readTree,
  runGit,
  toBytePath,
  toText,
  writeLooseTree,
} from "../git/index.ts";
import { EMPTY_TREE } from "./diff-snapshots.ts";
import { type SnapshotReader, topEntries } from "./snapshot-reader.ts";

/** A patch for `git apply`, with names quoted where they are not UTF-8; content that is not cannot be told whole in a text. */
export async function patchSnapshots(
  reader: SnapshotReader,
  [from, to]: readonly [string, string],
  path?: string | Uint8Array,
): Promise<string> {
  const filesOf = async (id: string): Promise<string> => (await topEntries(reader, id)).get("files") ?? EMPTY_TREE;
  const trees = [await filesOf(from), await filesOf(to)];
  const bytes = path === undefined ? undefined : toBytePath(path);
  const { gitDirectory } = reader.repository;
  const diff = async (isQuoted: boolean): Promise<Buffer> => {
    const settings = [`core.quotePath=${isQuoted}`, "core.bigFileThreshold=32m"];
    const run = (args: readonly string[], env = {}): Promise<Buffer> =>
      runGit({ gitDirectory, settings, mostOutputBytes: MOST_LISTING_BYTES, env, args: [...DIFF, ...args] });
    if (bytes === undefined) return await run(trees);
    if (bytesUnlessText(bytes) === undefined) return await run([...trees, "--", toText(bytes)]);
    return await withNarrowTrees(reader, { trees, path: bytes }, run);
  };
  const plain = await diff(false);
  return (isUtf8(plain) ? plain : await diff(true)).toString("utf8");
}

const OPTIONS = ["-p", "-r", "-M", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color"];
const DIFF: readonly string[] = ["diff-tree", ...OPTIONS];

/** Makes trees of one path for as long as some work takes: git's arguments are text, and cannot name one that is none. */
async function withNarrowTrees<T>(
  reader: SnapshotReader,
  { trees, path }: { readonly trees: readonly string[]; readonly path: BytePath },
  work: (narrow: readonly string[], env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const place = await mkdtemp(join(tmpdir(), "skein-trees-"));
  const narrow = async (tree: string, [name, ...rest]: readonly BytePath[]): Promise<string | undefined> => {
    const entry = (await readTree(reader.objects, tree)).find((each) => each.name === name);
    if (!entry || (rest.length > 0 && entry.mode !== "40000")) return undefined;
    const oid = rest.length === 0 ? entry.oid : await narrow(entry.oid, rest);
    return oid === undefined ? undefined : await writeLooseTree(place, [{ ...entry, oid }]);
  };
  try {
    await mkdir(join(place, "objects"));
    const made: string[] = [];
    for (const tree of trees) made.push((await narrow(tree, path.split("/"))) ?? EMPTY_TREE);
    return await work(made, { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(place, "objects")) });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

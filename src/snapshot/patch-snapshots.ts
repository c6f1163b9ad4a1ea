import { isUtf8 } from "node:buffer";
import { bytesUnlessText, toBytePath, toText, type BytePath, MOST_LISTING_BYTES, runGit } from "../git/index.ts";
import { EMPTY_TREE } from "./diff-snapshots.ts";
import { topEntries, type SnapshotReader } from "./list-snapshot.ts";
import { withNarrowTrees } from "./narrow-trees.ts";

/** Which difference is wanted. */
export interface PatchRequest {
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

async function diffTrees({ gitDirectory }: SnapshotReader, { before, after, path, quoted }: TreePair): Promise<Buffer> {
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

import { toBytePath } from "./byte-path.ts";
import { EMPTY_TREE } from "./diff-snapshots.ts";
import { topEntries, type SnapshotReader } from "./list-snapshot.ts";
import { runGit } from "./run-git.ts";

/** Which difference is wanted. */
export interface PatchRequest {
  readonly from: string;
  readonly to: string;
  /** One file or folder; all where it is left out. */
  readonly path?: string | Uint8Array | undefined;
}

/** Gives the difference of two snapshots as a unified patch that `git apply` takes. */
export async function patchSnapshots(reader: SnapshotReader, { from, to, path }: PatchRequest): Promise<string> {
  const tree = async (id: string): Promise<string> => (await topEntries(reader, id)).get("files") ?? EMPTY_TREE;
  const [before, after] = [await tree(from), await tree(to)];
  const only = path === undefined ? [] : ["--", Buffer.from(toBytePath(path), "latin1").toString("utf8")];
  const args = [
    "diff-tree",
    "-p",
    "-r",
    "-M",
    "--binary",
    "--full-index",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
  ];
  const output = await runGit({ gitDirectory: reader.gitDirectory, args: [...args, before, after, ...only] });
  return output.toString("utf8");
}

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../core/internal.ts";
import type { BytePath } from "../files/byte-path.ts";
import { gitError } from "../files/storage-error.ts";
import { createIndexWriter, type FileLook, readIndexLooks } from "../index-file.ts";
import { runGit } from "../run-git.ts";

interface CheckoutRequest {
  /** The repository that holds the content. */
  readonly gitDirectory: string;
  /** Where nothing of the files is yet, and nobody else writes. */
  readonly directory: string;
  /** Where git may keep an index meanwhile. */
  readonly indexPath: string;
  /** Regular files, in the order of their paths. */
  readonly files: readonly { readonly path: BytePath; readonly oid: string; readonly isExecutable: boolean }[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Has git write files, and gives how each looked right after. It goes by an index that is made here of paths that were checked, so
 * that no forged tree is taken for one; there may be no file among them by which git would change what it writes.
 */
export async function checkoutFiles(request: CheckoutRequest): Promise<readonly FileLook[]> {
  const { gitDirectory, directory, indexPath, files, signal } = request;
  const writer = createIndexWriter(2);
  for (const { path, oid, isExecutable } of files) {
    writer.add({ path, oid, mode: isExecutable ? 0o100755 : 0o100644, look: [] });
  }
  await mkdir(dirname(indexPath), PRIVATE_FOLDER);
  await writeFile(indexPath, writer.end(), { mode: PRIVATE_FILE });
  const paths = files.map(({ path }) => path);
  await runGit({
    gitDirectory,
    workTree: directory,
    cwd: directory,
    settings: SETTINGS,
    env: { GIT_INDEX_FILE: indexPath },
    args: ["checkout-index", "--index", "-z", "--stdin"],
    // Not all of the index, so that a git whose host was killed ends soon: with its input.
    input: Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1"),
    signal,
  });
  const looks = readIndexLooks(await readFile(indexPath), paths);
  // Git gives no times to what it has not written.
  if (looks?.every(([seconds]) => seconds !== 0)) return looks;
  throw gitError("checkout-index", { exitCode: 0, stderr: "not every file was written" });
}

const SETTINGS = ["core.bare=false", "core.fileMode=true", "core.splitIndex=false"];

import { realpath } from "node:fs/promises";
import { emptyDirectory } from "./restore/empty-directory.ts";
import { toBytePath, toText, type ObjectReader, storageError } from "../git/index.ts";
import { onlyIgnored } from "./carried/find-carried.ts";
import { SIZE_LIMIT_BYTES } from "./scan/capture.ts";
import { carryPaths } from "./carried/carry-paths.ts";
import { dataPaths } from "./store/data-paths.ts";
import { listSnapshot } from "./list-snapshot.ts";
import { lendRepository } from "./user-git/lend-repository.ts";
import type { Repository } from "./store/repository.ts";
import type { Materialisation } from "./snapshot-store.ts";
import { latestChangeMs, seedFromWritten } from "./memory/seed-from-written.ts";
import type { Seed } from "./memory/seed-from-index.ts";
import { settleTimes } from "./scan/settle-times.ts";
import { writeFreshTree } from "./restore/write-fresh-tree.ts";

/** What a snapshot is written with. */
export interface MaterialiseContext {
  readonly repository: Repository;
  readonly objects: ObjectReader;
}

/** What is written, and where. */
export interface MaterialiseRequest {
  readonly id: string;
  /** Empty, or not there yet. */
  readonly directory: string;
  /** The workspace whose repository is borrowed. */
  readonly origin: string;
  /** Ignored folders and files of the origin that are copied too; none by default. */
  readonly carry?: readonly string[] | undefined;
  /** Larger files are carried also where no rule ignores them. */
  readonly sizeLimitBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A directory that a snapshot was written into, and what is known of its files without reading them. */
export interface Materialised extends Materialisation {
  /** Not there where a change right after would not show in a file's times. */
  readonly seed?: Seed;
}

/** Writes a snapshot into an empty directory: its files, and a repository that stands where the user's stood. */
export async function materialise(
  context: MaterialiseContext,
  { id, directory, origin, carry = [], sizeLimitBytes = SIZE_LIMIT_BYTES, signal }: MaterialiseRequest,
): Promise<Materialised> {
  const reader = { gitDirectory: context.repository.gitDirectory, objects: context.objects };
  const listing = await listSnapshot(reader, id);
  const root = await emptyDirectory(directory);
  try {
    const written = await writeFreshTree({ root: toBytePath(root), listing, objects: context.objects, signal });
    const from = await realpath(origin);
    const git = await lendRepository(context, { listing, root, origin: from });
    const isIgnored = (folders: readonly string[]): Promise<readonly string[]> =>
      onlyIgnored(context.repository, root, folders);
    const without = dataPaths(context.repository, from).map(toText);
    await carryPaths(carry, { from, to: root, onlyIgnored: isIgnored, sizeLimitBytes, without, signal });
    const isSettled = await settleTimes(root, latestChangeMs(written));
    return { git, ...(isSettled ? { seed: seedFromWritten(written) } : {}) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw storageError("The snapshot could not be written", directory, cause);
  }
}

import { utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/index.ts";
import { readRefFile, updateRef } from "../../git/index.ts";
import { SNAPSHOTS } from "../../snapshot/index.ts";

/** A snapshot that was taken before counts as new: garbage collection goes by the age of its ref. */
export async function refreshSnapshot(
  { gitDirectory, clock }: { readonly gitDirectory: string; readonly clock: Clock },
  snapshotId: string,
): Promise<void> {
  const now = new Date(clock.now());
  const ref = `${SNAPSHOTS}${snapshotId}`;
  await utimes(join(gitDirectory, ref), now, now).catch(async () => {
    // It was packed: in a file of its own it has an age again.
    const to = await readRefFile(gitDirectory, ref);
    if (to !== undefined) await updateRef(gitDirectory, ref, { to, clock });
  });
}

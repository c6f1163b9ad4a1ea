import { readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, ResourceExhaustionError } from "../../core/internal.ts";
import { type BytePath, errorCode, lookAt, toBytePath, toSystemPath } from "../../git/index.ts";

export interface BranchQuota {
  readonly path: string;
  readonly quotaBytes: number;
  written(): Promise<number>;
}

export async function checkQuota({ path, quotaBytes, written }: BranchQuota): Promise<void> {
  const usedBytes = await written();
  if (usedBytes <= quotaBytes) return;
  throw new ResourceExhaustionError(`The branch has written ${usedBytes} bytes; its limit is ${quotaBytes}`, {
    resource: "disk",
    target: path,
    retryable: false,
    hint: "Remove what the branch does not need, or raise `quotaBytes`",
  });
}

/** Checks a branch again and again until it is over its quota, which is told once, or until it is disposed of. */
export function watchQuota(quota: BranchQuota, clock: Clock, onExceeded: (error: unknown) => void): Disposable {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(INTERVAL_MS, over.signal);
      await checkQuota(quota);
    }
  };
  watch().catch((error: unknown) => {
    if (!over.signal.aborted) onExceeded(error);
  });
  return { [Symbol.dispose]: () => over.abort() };
}

/** A disk takes longer than that to fill. */
const INTERVAL_MS = 500;

/** How many bytes a folder takes on the disk, with all that is in it; what goes away meanwhile is not counted. */
export async function measureFolder(folder: string): Promise<number> {
  const waiting: BytePath[] = [toBytePath(folder)];
  let bytes = 0;
  for (let seen = 1; ; seen += 1) {
    const path = waiting.pop();
    if (path === undefined) return bytes;
    const stats = lookAt(toSystemPath(path));
    bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
    if (stats?.isDirectory()) waiting.push(...namesIn(path).map((name) => `${path}/${name}`));
    // The event loop belongs to others too.
    if (seen % 2000 === 0) await nextTurn();
  }
}

/** What `blocks` counts, whatever the file system's own blocks are. */
const BLOCK_BYTES = 512;

function namesIn(path: BytePath): readonly string[] {
  try {
    return readdirSync(toSystemPath(path), { encoding: "latin1" });
  } catch (error) {
    // The working folder of an overlay is closed even to its owner, and holds nothing to speak of.
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(errorCode(error))) return [];
    throw error;
  }
}

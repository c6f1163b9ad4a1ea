import { ResourceExhaustionError, type Clock } from "../../core/index.ts";

/** How much a branch may write, and how much it has written. */
export interface BranchQuota {
  readonly path: string;
  readonly quotaBytes: number;
  /** Bytes on the disk that the branch alone takes. */
  written(): Promise<number>;
}

/** Refuses to go on with a branch that has written more than it may. */
export async function checkQuota({ path, quotaBytes, written }: BranchQuota): Promise<void> {
  const usedBytes = await written();
  if (usedBytes <= quotaBytes) return;
  throw new ResourceExhaustionError(`The branch has written ${usedBytes} bytes; its limit is ${quotaBytes}`, {
    resource: "disk",
    target: path,
    retryable: false,
    hint: "Remove what the branch does not need, or raise quotaBytes",
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

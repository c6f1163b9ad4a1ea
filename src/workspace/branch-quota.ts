import { ResourceExhaustionError } from "../core/index.ts";
import { measureFolder } from "./measure-folder.ts";

/** Refuses to go on with a branch that has changed more than it may. */
export async function checkQuota(upper: string, quotaBytes: number | undefined): Promise<void> {
  if (quotaBytes === undefined) return;
  const usedBytes = await measureFolder(upper);
  if (usedBytes <= quotaBytes) return;
  throw new ResourceExhaustionError(`The branch has written ${usedBytes} bytes, and may write ${quotaBytes}`, {
    resource: "disk",
    target: upper,
    retryable: false,
    hint: "Remove what the branch does not need, or raise quotaBytes",
  });
}

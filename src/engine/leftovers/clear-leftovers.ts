import { dataHome } from "../../core/index.ts";
import { findLeftovers, reapLeftovers } from "../processes/host-record.ts";
import { sweepResumeFolders } from "./sweep-resume-folders.ts";

/**
 * Ends what hosts left running that were killed together with their guardian, and clears away what their agents left in folders. To be
 * called before files are recorded or restored: whatever still writes to them would make that untrue.
 */
export async function clearLeftovers(home: string = dataHome()): Promise<void> {
  await reapLeftovers(await findLeftovers(home));
  await sweepResumeFolders();
}

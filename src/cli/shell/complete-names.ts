import { storeOf } from "../../snapshot/index.ts";
import { findRecorded, openStates } from "../../workspace/internal.ts";

/** The names of states that a shell completes in a folder: the head's, and the checkpoints'. Nothing is made or cleared away. */
export async function completeNames(folder: string): Promise<readonly string[]> {
  const recorded = await findRecorded(folder).catch(() => undefined);
  if (recorded === undefined) return [];
  const states = openStates(await storeOf(recorded));
  try {
    return ["@", ...(await states.checkpoints()).keys()];
  } finally {
    await states.close();
  }
}

import { storeOf } from "../../snapshot/index.ts";
import { findRecorded, openStates } from "../../workspace/internal.ts";

/** The names of states that a shell completes in a folder: the head's, and the checkpoints'. Nothing is made or cleared away. */
export async function completeNames(folder: string): Promise<readonly string[]> {
  const recorded = await findRecorded(folder).catch(() => undefined);
  if (recorded === undefined) return [];
  const states = openStates(await storeOf(recorded));
  try {
    // Some shells expand what they are given to complete: whoever could write a ref could run a command by its name.
    const names = [...(await states.checkpoints()).keys()];
    return ["@", ...names.filter((name) => /^[\w.-]+$/u.test(name))];
  } finally {
    await states.close();
  }
}

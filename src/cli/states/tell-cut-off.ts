import { clearDeadBranches, findInterruptedTurns } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { shortId } from "./short-id.ts";

/** Says what was cut off in a directory and is not recorded yet: a restore, and turns. */
export async function tellCutOff(workspace: Workspace, { notice }: Pick<CommandContext, "notice">): Promise<void> {
  const half = await workspace.halfRestore();
  if (half) {
    const id = shortId(half.stateId ?? half.snapshotId);
    notice(`A restore to ${id} was cut off here: the files may be a mix of two states. End it: skein recover`);
  }
  for (const { prompt } of await findInterruptedTurns(workspace)) {
    notice(`A turn was cut off here: "${fitLine(plainLine(prompt), 40)}". Keep it or take it back: skein recover`);
  }
}

/** Removes the branches that a search which was killed has left, and says what was cut off in them and is recorded now. */
export async function clearBranches(workspace: Workspace, { notice }: Pick<CommandContext, "notice">): Promise<void> {
  for (const { state, transition } of await clearDeadBranches(workspace)) {
    const prompt = fitLine(plainLine(transition.prompt.text), 40);
    notice(
      `A turn was cut off on a branch and is kept as ${shortId(state.id)}: "${prompt}". Look at it: skein show ${shortId(state.id)}`,
    );
  }
}

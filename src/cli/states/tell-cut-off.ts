import { findInterruptedTurns } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { shortId } from "./short-id.ts";

/** Says what was cut off in a directory, where a command does not record or end it by itself. */
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

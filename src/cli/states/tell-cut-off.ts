import { shellWord } from "../../protocol/index.ts";
import { clearDeadBranches, findInterruptedTurns } from "../../trace/index.ts";
import { findLostRecords, type FittingRecord, type Workspace } from "../../workspace/index.ts";
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

/** Records that the notice names. */
const NAMED = 3;

/** Says in a directory of which nothing is recorded that it may have been moved here, and what attaches the record that it had. */
export async function tellLostRecord(
  { path, origin, states }: Workspace,
  { notice }: Pick<CommandContext, "notice">,
): Promise<void> {
  if (path !== origin || (await states.head()) !== undefined) return;
  const records = await findLostRecords(path);
  const [first, ...others] = records;
  if (!first) return;
  if (others.length === 0 && first.fit !== "repository") {
    const what = first.fit === "begun" ? "that was cut off" : "where it was before";
    notice(`This directory has the record of ${plainLine(first.path)}, ${what}: skein relink attaches it.`);
    return;
  }
  notice(
    `Nothing is recorded here. ${others.length === 0 ? "A record" : "Records"} of a workspace that is gone may fit:`,
  );
  for (const record of records.slice(0, NAMED)) notice(`  ${relinkCommand(record)}`);
}

function relinkCommand({ path }: FittingRecord): string {
  return plainLine(`skein relink ${shellWord(path)}`);
}

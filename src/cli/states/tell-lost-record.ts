import { findLostRecords, type FittingRecord, type Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { shellWord } from "../../protocol/index.ts";
import { plainLine } from "../plain-text.ts";

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

import { confirm } from "@clack/prompts";
import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import { unrecordedError } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";

/** The flag that answers the question beforehand. */
export const yesFlag = z.boolean().default(false).meta({
  description: "Do not ask before deleting or overwriting work that no recorded turn made",
});

/** Paths that a question names; the others are counted. */
const NAMED = 10;

/** Asks the person at the terminal whether what no recorded turn made may go; where nobody can be asked, refuses. */
export async function askToRestore(unrecorded: readonly string[], context: CommandContext): Promise<void> {
  if (unrecorded.length === 0) return;
  if (context.format !== "text" || !context.terminal.canAsk) throw unrecordedError(unrecorded);
  const named = unrecorded.slice(0, NAMED).map((path) => `  ${plainLine(path)}`);
  const others = unrecorded.length - named.length;
  const lines = others > 0 ? [...named, `  and ${formatNumberOf(others, "more file")}`] : named;
  const answer = await confirm({
    message: `No recorded turn made these. Restore over them? You will be able to go back.\n${lines.join("\n")}`,
    initialValue: false,
    signal: context.signal,
  });
  if (answer !== true) throw new SkeinError("Nothing was restored", { kind: "cancelled" });
}

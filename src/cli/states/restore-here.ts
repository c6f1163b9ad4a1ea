import { confirm } from "@clack/prompts";
import { SkeinError } from "../../core/index.ts";
import { restoreState, undoLastTurn } from "../../trace/index.ts";
import { unrecordedError, type Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";
import { toRestoreData, type RestoreData } from "./restore-data.ts";
import { takeDirectory } from "./take-directory.ts";
import { switchFlag } from "../common-flags.ts";

/** The flag that answers the question beforehand. */
export const yesFlag = switchFlag("Do not ask before deleting or overwriting work that no recorded turn made");

/** A restore that was asked for. */
export interface RestoreRequest {
  /** A name of the state, or what finds one once turns that were cut off are recorded. */
  readonly state: string | (() => Promise<string>);
  readonly dryRun?: boolean;
  /** Nobody need be asked about what no recorded turn made. */
  readonly yes?: boolean;
}

/** Makes the directory equal to a state. What no recorded turn made is asked about, or kept from being replaced where nobody can be asked. */
export async function restoreHere(
  workspace: Workspace,
  { state, dryRun = false, yes = false }: RestoreRequest,
  context: CommandContext,
): Promise<RestoreData> {
  await using _ = dryRun ? undefined : await takeDirectory(workspace, context);
  const name = typeof state === "string" ? state : await state();
  const onUnrecorded = yes ? "replace" : (paths: readonly string[]) => askToRestore(paths, context);
  const how = { onUnrecorded, dryRun, isClaimed: !dryRun, signal: context.signal } as const;
  return toRestoreData(workspace, await restoreState(workspace, name, how));
}

/** An undo that was asked for. */
export interface UndoRequest {
  readonly dryRun: boolean;
  readonly merge: boolean;
  readonly discard: boolean;
}

/** Takes back the last turn in the directory. */
export async function undoHere(
  workspace: Workspace,
  { dryRun, merge, discard }: UndoRequest,
  context: CommandContext,
): Promise<RestoreData> {
  await using _ = dryRun ? undefined : await takeDirectory(workspace, context);
  const onConflict = merge ? "merge" : discard ? "discard" : "refuse";
  const how = { onConflict, dryRun, isClaimed: !dryRun, signal: context.signal } as const;
  return toRestoreData(workspace, await undoLastTurn(workspace, how));
}

/** Paths that a question names; the others are counted. */
const NAMED = 10;

/** Asks the person at the terminal whether what no recorded turn made may go; where nobody can be asked, refuses. */
async function askToRestore(unrecorded: readonly string[], context: CommandContext): Promise<void> {
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

import { confirm } from "@clack/prompts";
import { SkeinError } from "../../core/internal.ts";
import { type RestoreData, toRestoreData } from "../../protocol/index.ts";
import { restoreState, undoLastTurn } from "../../trace/internal.ts";
import { unrecordedError, type Workspace } from "../../workspace/internal.ts";
import type { CommandContext } from "../define-command.ts";
import { formatNumberOf, plainLine, fitLine, formatCard } from "../../terminal/index.ts";
import { takeDirectory } from "./take-directory.ts";
import { switchFlag } from "../common-flags.ts";
import { fileLines, listed } from "../turn/file-lines.ts";
import { gitLeftOutLines, unheldLine } from "./left-out.ts";
import { shortId } from "./short-id.ts";

export const yesFlag = switchFlag("Do not ask before deleting or overwriting work that no recorded turn made");

interface RestoreRequest {
  /** A name of the state, or what finds one once turns that were cut off are recorded. */
  readonly state: string | (() => Promise<string>);
  readonly dryRun?: boolean;
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

export async function undoHere(
  workspace: Workspace,
  { dryRun, merge, discard }: Readonly<Record<"dryRun" | "merge" | "discard", boolean>>,
  context: CommandContext,
): Promise<RestoreData> {
  await using _ = dryRun ? undefined : await takeDirectory(workspace, context);
  const onConflict = merge ? "merge" : discard ? "discard" : "refuse";
  const how = { onConflict, dryRun, isClaimed: !dryRun, signal: context.signal } as const;
  return toRestoreData(workspace, await undoLastTurn(workspace, how));
}

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

const LISTED_KEPT = 6;

const GIT_WORDS: Readonly<Record<RestoreData["git"], readonly string[]>> = {
  same: [],
  absent: [],
  missing: ["not restored: there is no readable repository here any more, and no state holds its commits"],
  restored: ["HEAD and index restored; later commits are kept"],
  "would-restore": ["HEAD and index would be restored"],
};

export function formatRestore(data: RestoreData, context: CommandContext): string {
  return formatArrival(data, context, data.dry_run ? "Would restore" : "Restored");
}

/** The same in another command's words. */
export function formatArrival(data: RestoreData, { terminal }: CommandContext, said: string): string {
  const { bold, cyan, dim } = terminal.colors;
  const { files } = data;
  const subject = fitLine(plainLine(data.subject), Math.max(terminal.columns - said.length - 17, 16));
  const told = (["created", "modified", "deleted", "renamed"] as const)
    .filter((what) => files[what].length > 0)
    .map((what) => `${files[what].length} ${what}`);
  const rows = formatCard(
    [
      ["Files", ...(told.length === 0 ? ["unchanged"] : [dim(told.join(" · ")), ...fileLines(files, terminal)])],
      ["Kept", ...keptLines([...data.kept, ...data.kept_since])],
      ["Merged", ...keptLines(data.merged)],
      ["Both", ...keptLines(data.conflicts.map(({ path }) => path))],
      ["By hand", ...keptLines(data.unrecorded)],
      ["Not held", ...data.unheld.map(unheldLine)],
      ["Git", ...GIT_WORDS[data.git], ...(data.git === "missing" ? [] : gitLeftOutLines(data.git_left_out))],
      ["Back", ...(data.way_back === null ? [] : [cyan(`skein restore ${shortId(data.way_back)}`)])],
    ],
    terminal,
  );
  return `${bold(said)} ${terminal.colors.yellow(shortId(data.state_id))}  ${subject}\n\n${rows}`;
}

function keptLines(kept: readonly string[]): string[] {
  return listed(kept.map(plainLine), LISTED_KEPT, "more path");
}

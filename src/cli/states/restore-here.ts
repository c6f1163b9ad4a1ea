import { confirm } from "@clack/prompts";
import { z } from "zod";
import { SkeinError } from "../../core/internal.ts";
import { asData } from "../../protocol/index.ts";
import { restoreState, undoLastTurn, type Arrival } from "../../trace/internal.ts";
import { unrecordedError, type Workspace } from "../../workspace/internal.ts";
import type { CommandContext } from "../define-command.ts";
import { formatNumberOf, plainLine, fitLine, formatCard } from "../../terminal/index.ts";
import { takeDirectory } from "./take-directory.ts";
import { switchFlag } from "../common-flags.ts";
import { fileLines, FilesData, listed, toFilesData } from "../turn/files-data.ts";
import { gitLeftOut, GitLeftOutData, gitLeftOutLines, UnheldData, unheldLine } from "./left-out.ts";
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

export const RestoreData = z.strictObject({
  state_id: z.string().describe("The state that the directory is at now, or would be"),
  subject: z.string().describe("The prompt of the turn that led to it, or what it is"),
  dry_run: z.boolean().describe("Whether it was only looked at, and nothing changed"),
  files: FilesData.describe("What was changed in the directory, or would be"),
  kept: z.array(z.string()).describe("What came since and was left because no snapshot holds it"),
  kept_since: z
    .array(z.string())
    .describe("What an undo kept of what was done since the turn; empty for a restore, which is exact"),
  merged: z.array(z.string()).describe("Files in which an undo took back the turn's change and kept a later one"),
  conflicts: z
    .array(
      z.strictObject({
        path: z.string().describe("The file, below the workspace"),
        why: z.string().describe("What the two changes are"),
      }),
    )
    .describe("Where both changed the same, and `--merge` or `--discard` settled it"),
  unrecorded: z
    .array(z.string())
    .describe("What a restore deleted or wrote over, or would, although no recorded turn made it"),
  unheld: z
    .array(UnheldData)
    .describe("What no state holds and is not as it was then: it was not brought back, and not deleted"),
  git: z
    .enum(["same", "restored", "absent", "missing", "would-restore"])
    .describe(
      "What became of the user's repository; `absent` where the state holds none, `missing` where it holds one and none is there",
    ),
  git_left_out: GitLeftOutData.describe("The git repository that no state holds; null where there is none such"),
  way_back: z
    .string()
    .nullable()
    .describe("The state that the directory was in before: a restore of it takes this back; null in a dry run"),
});

export type RestoreData = z.infer<typeof RestoreData>;

export function toRestoreData(workspace: Workspace, arrival: Arrival): RestoreData {
  const { state, wayBack, changes } = arrival;
  return asData(RestoreData, {
    ...arrival,
    stateId: state.id,
    subject: state.subject,
    dryRun: wayBack === undefined,
    files: toFilesData(changes),
    gitLeftOut: gitLeftOut(workspace),
  });
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

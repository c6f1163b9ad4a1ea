import { z } from "zod";
import type { Arrival } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { detailRows } from "../detail-rows.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { fileLines, FilesData, toFilesData } from "../turn/files-data.ts";
import { gitLeftOut, GitLeftOutData, gitLeftOutLines } from "./git-left-out.ts";
import { toUnheldData, UnheldData, unheldLine } from "./left-out-data.ts";
import { shortId } from "./short-id.ts";

/** What a restore did, or would do, as the envelope tells it. */
export const RestoreData = z.strictObject({
  state_id: z.string(),
  /** The first line of what the state is about. */
  subject: z.string(),
  dry_run: z.boolean(),
  files: FilesData,
  /** What came since and was left because no snapshot holds it. */
  kept: z.array(z.string()),
  /** What an undo kept of what was done since the turn; empty for a restore, which is exact. */
  kept_since: z.array(z.string()),
  /** Files in which an undo took back the turn's change and kept a later one. */
  merged: z.array(z.string()),
  /** Where both changed the same, and `--merge` or `--discard` settled it. */
  conflicts: z.array(z.strictObject({ path: z.string(), why: z.string() })),
  /** What a restore deleted or wrote over, or would, although no recorded turn made it. */
  unrecorded: z.array(z.string()),
  /** What no state holds and is not as it was then: it was not brought back, and not deleted. */
  unheld: z.array(UnheldData),
  /** What became of the user's repository; `absent` where the state holds none, `missing` where it holds one and none is there. */
  git: z.enum(["same", "restored", "absent", "missing", "would-restore"]),
  git_left_out: GitLeftOutData,
  /** The state that the directory was in before; null in a dry run. */
  way_back: z.string().nullable(),
});

/** What a restore did, or would do, as the envelope tells it. */
export type RestoreData = z.infer<typeof RestoreData>;

/** Puts what became of a directory into the words of the envelope. */
export function toRestoreData(workspace: Workspace, arrival: Arrival): RestoreData {
  return {
    state_id: arrival.state.id,
    subject: arrival.state.subject,
    dry_run: arrival.wayBack === undefined,
    files: toFilesData(arrival.changes),
    kept: [...arrival.kept],
    kept_since: [...arrival.keptSince],
    merged: [...arrival.merged],
    conflicts: [...arrival.conflicts],
    unrecorded: [...arrival.unrecorded],
    unheld: toUnheldData(arrival.unheld),
    git: arrival.git,
    git_left_out: gitLeftOut(workspace),
    way_back: arrival.wayBack ?? null,
  };
}

const LISTED_KEPT = 6;

const GIT_WORDS: Readonly<Record<RestoreData["git"], readonly string[]>> = {
  same: [],
  absent: [],
  missing: ["not restored: there is no readable repository here any more, and no state holds its commits"],
  restored: ["HEAD and index restored; later commits are kept"],
  "would-restore": ["HEAD and index would be restored"],
};

/** What a restore did, for people: files, what was left, the repository, and the way back. */
export function formatRestore(data: RestoreData, context: CommandContext): string {
  return formatArrival(data, context, data.dry_run ? "Would restore" : "Restored");
}

/** The same in another command's words. */
export function formatArrival(data: RestoreData, { terminal }: CommandContext, said: string): string {
  const { bold, cyan, dim } = terminal.colors;
  const { files } = data;
  const lines = fileLines(files, terminal);
  const subject = fitLine(plainLine(data.subject), Math.max(terminal.columns - said.length - 17, 16));
  const counts = [
    [files.created.length, "created"],
    [files.modified.length, "modified"],
    [files.deleted.length, "deleted"],
    [files.renamed.length, "renamed"],
  ] as const;
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const rows = detailRows(
    [
      ["Files", ...(told.length === 0 ? ["unchanged"] : [dim(told.join(" · ")), ...lines])],
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
  const shown = kept.slice(0, LISTED_KEPT).map(plainLine);
  const others = kept.length - shown.length;
  return others > 0 ? [...shown, formatNumberOf(others, "more path")] : shown;
}

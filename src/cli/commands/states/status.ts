import { z } from "zod";
import { headState } from "../../../trace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { detailRows } from "../../detail-rows.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { fitLine, plainLine } from "../../plain-text.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import {
  gitLeftOut,
  GitLeftOutData,
  gitLeftOutLines,
  LeftOutData,
  leftOutLine,
  toLeftOutData,
} from "../../states/left-out.ts";
import { shortId } from "../../states/short-id.ts";
import { fileLines, FilesData, toFilesData } from "../../turn/files-data.ts";

const data = z.strictObject({
  /** The state at which the directory stands; null where nothing was recorded. */
  state_id: z.string().nullable(),
  subject: z.string().nullable(),
  conversation_id: z.string().nullable(),
  /** What was changed since, by hand or by another program. */
  files: FilesData,
  /** What is in the directory and would be in no state: an undo neither brings it back nor deletes it. */
  left_out: z.array(LeftOutData),
  git_left_out: GitLeftOutData,
});

export const status = defineCommand({
  name: "status",
  summary: "Show what changed and what is not recorded",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({ cwd: cwdFlag, ...captureFlags }),
  data,
  examples: ["status", "status --cwd ./my_project"],
  async run({ cwd, ...captured }, context) {
    await using workspace = await openToRead(cwd, context, captureOptions(captured));
    const state = await headState(workspace);
    const { id, leftOut } = await workspace.snapshot(context);
    const changes = state ? await workspace.snapshots.diff(state.snapshotId, id) : [];
    return {
      state_id: state?.id ?? null,
      subject: state?.subject ?? null,
      conversation_id: (await workspace.states.head())?.conversationId ?? null,
      files: toFilesData(changes),
      left_out: toLeftOutData(leftOut),
      git_left_out: gitLeftOut(workspace),
    };
  },
  format({ state_id: id, subject, files, left_out: leftOut, git_left_out: git }, { terminal }) {
    const { bold, yellow } = terminal.colors;
    const title = fitLine(plainLine(subject ?? ""), Math.max(terminal.columns - 22, 16));
    const heading = id === null ? "Nothing is recorded here yet" : `${bold("At")} ${yellow(shortId(id))}  ${title}`;
    const lines = fileLines(files, terminal);
    const rows = detailRows(
      [
        ["Since", ...(id === null ? [] : lines.length === 0 ? ["unchanged"] : lines)],
        ["Left out", ...(leftOut.length === 0 ? ["only what ignore files name"] : leftOut.map(leftOutLine))],
        ["Git", ...gitLeftOutLines(git)],
      ],
      terminal,
    );
    return `${heading}\n\n${rows}`;
  },
});

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isoTime, systemClock } from "../../../core/internal.ts";
import { asData, gitLeftOut, GitLeftOutData, LeftOutData, FilesData, toFilesData } from "../../../protocol/index.ts";
import type { FileChange } from "../../../snapshot/index.ts";
import {
  findInterruptedTurns,
  findLostStates,
  findRunningTurns,
  headState,
  TraceIndex,
  type RunningTurn,
} from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { fitLine, formatCard, formatNumberOf, formatWhen, plainLine, type Terminal } from "../../../terminal/index.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import { gitLeftOutLines, leftOutLine } from "../../states/left-out.ts";
import { shortId } from "../../states/short-id.ts";
import { paidText } from "../../turn/paid-cost.ts";
import { fileLines } from "../../turn/file-lines.ts";

const RunningData = z.strictObject({
  transition_id: z.string().describe("The turn's own id"),
  conversation_id: z.string().describe("The conversation that it goes on with"),
  prompt: z.string().describe("What the agent was asked"),
  started_at: z.string().describe("When it began"),
  directory: z.string().describe("Where the agent works: the workspace, or a branch of it"),
});

const StatusData = z.strictObject({
  cwd: z
    .string()
    .describe("The workspace: the recorded one around the directory that was asked about, or that directory"),
  state_id: z.string().nullable().describe("The state that the workspace is at; null where nothing was recorded"),
  subject: z.string().nullable().describe("The first line of that state's prompt"),
  recorded_at: z.string().nullable().describe("When that state was recorded"),
  conversation_id: z.string().nullable().describe("The conversation that --continue goes on with"),
  files: FilesData.describe("What was changed since, by hand or by another program"),
  left_out: z
    .array(LeftOutData)
    .describe("What is in the directory and would be in no state: an undo neither brings it back nor deletes it"),
  git_left_out: GitLeftOutData.describe("A repository whose HEAD and index no state holds"),
  running: z.array(RunningData).describe("The turns that run now, in the workspace and on its branches"),
  today: z
    .strictObject({
      since: z.string().describe("The last midnight, local time"),
      turns: z.int().describe("The turns that were recorded since"),
      cost_usd: z.number().describe("What was paid for them"),
      offline_cost_usd: z.number().describe("What those of the offline model would have cost by the price list"),
    })
    .describe("What was recorded today"),
  to_recover: z
    .strictObject({
      turns: z.int().describe("Turns that were cut off and are not recorded yet"),
      restore: z.boolean().describe("Whether a restore was cut off, so that the files may be a mix of two states"),
      lost: z.int().describe("Recorded turns to which no name leads any more"),
    })
    .describe("What was cut off; the command recover keeps or undoes it"),
});

type StatusData = z.infer<typeof StatusData>;

export const status = defineCommand({
  name: "status",
  summary: "Show head, changes, running turns, today's cost",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({ cwd: cwdFlag, ...captureFlags }),
  data: StatusData,
  examples: ["status", "status --cwd ./my-project"],
  async run({ cwd, ...captured }, context) {
    await using workspace = await openToRead(cwd, context, captureOptions(captured));
    const state = await headState(workspace);
    const running = await findRunningTurns(workspace);
    const { id, leftOut } = await workspace.snapshot(context);
    const changes = state ? await workspace.snapshots.diff(state.snapshotId, id) : [];
    return {
      cwd: workspace.path,
      state_id: state?.id ?? null,
      subject: state?.subject ?? null,
      recorded_at: state?.recordedAt ?? null,
      conversation_id: (await workspace.states.head())?.conversationId ?? null,
      files: toFilesData(await withoutSandbox(changes, workspace, running)),
      left_out: leftOut.map((each) => asData(LeftOutData, each)),
      git_left_out: gitLeftOut(workspace),
      running: running.map((turn) => asData(RunningData, turn)),
      today: await sumToday(workspace),
      to_recover: await findLeftovers(workspace),
    };
  },
  format: formatStatus,
});

/**
 * While a turn runs, its sandbox has empty files that nobody can write in the places of those that the agent may not make: no work of
 * anybody's, and gone with the turn. Claude Code's own folder of scratch files is the same.
 */
async function withoutSandbox(
  changes: readonly FileChange[],
  { path, view }: Workspace,
  running: readonly RunningTurn[],
): Promise<readonly FileChange[]> {
  if (!running.some(({ directory }) => directory === path)) return changes;
  const kept = await Promise.all(
    changes.map(async (change) => {
      if (change.type !== "created") return [change];
      const stats = await lstat(join(view, change.path)).catch(() => undefined);
      const isEmpty = stats?.isFile() === true && stats.size === 0 && (stats.mode & 0o777) === 0o444;
      const isScratch = stats?.isDirectory() === true && /^\.claude(?:\/|$)/u.test(change.path);
      return isEmpty || isScratch ? [] : [change];
    }),
  );
  return kept.flat();
}

async function sumToday(workspace: Workspace): Promise<StatusData["today"]> {
  const since = new Date(systemClock.now()).setHours(0, 0, 0, 0);
  await using index = await TraceIndex.open(workspace);
  const { turns, costUsd, offlineCostUsd } = await index.totals({ since, kind: "turn" });
  return { since: isoTime(since), turns, cost_usd: costUsd, offline_cost_usd: offlineCostUsd };
}

async function findLeftovers(workspace: Workspace): Promise<StatusData["to_recover"]> {
  const [turns, lost] = [await findInterruptedTurns(workspace), await findLostStates(workspace)];
  return { turns: turns.length, restore: (await workspace.halfRestore()) !== undefined, lost: lost.length };
}

function formatStatus(found: StatusData, { terminal }: CommandContext): string {
  const { state_id: id, subject, recorded_at: at, conversation_id: conversation } = found;
  const { bold, cyan, dim, yellow } = terminal.colors;
  const nowMs = systemClock.now();
  const title = fitLine(plainLine(subject ?? ""), Math.max(terminal.columns - 22, 16));
  const heading =
    id === null
      ? `Nothing is recorded here yet\n\n${cyan('skein run "…"')} records a turn; ${cyan("skein checkpoint NAME")} the files as they are.`
      : `${bold("At")} ${yellow(shortId(id))}  ${title}`;
  const { today, left_out: leftOut } = found;
  const since = fileLines(found.files, terminal);
  const rows = formatCard(
    [
      ["Folder", plainLine(found.cwd)],
      ["Recorded", ...(at === null ? [] : [formatWhen(Date.parse(at), nowMs, terminal)])],
      ["Goes on", ...(id === null ? [] : [continueLine(conversation)])],
      ["Since", ...(id === null ? [] : since.length === 0 ? ["unchanged"] : since)],
      ["Running", ...runningLines(found, { nowMs, terminal })],
      [
        "Today",
        ...(id === null
          ? []
          : [`${formatNumberOf(today.turns, "turn")}${dim(" · ")}${paidText({ ...today, includes_offline: false })}`]),
      ],
      ["Left out", ...(leftOut.length === 0 ? ["only what ignore files name"] : leftOut.map(leftOutLine))],
      ["Git", ...gitLeftOutLines(found.git_left_out)],
      ["Recover", ...recoverLines(found.to_recover).map((line) => yellow(line))],
    ],
    terminal,
  );
  return `${heading}\n\n${rows}`;
}

function continueLine(conversation: string | null): string {
  if (conversation === null) return "with a new conversation: the head is not the end of one";
  return `--continue, conversation ${conversation}`;
}

function runningLines(
  { running, cwd }: StatusData,
  { nowMs, terminal }: { readonly nowMs: number; readonly terminal: Terminal },
): readonly string[] {
  return running.map(({ prompt, started_at: at, directory }) => {
    const where = directory === cwd ? "" : ", on a branch";
    return `"${fitLine(plainLine(prompt), 40)}", begun ${formatWhen(Date.parse(at), nowMs, terminal)}${where}`;
  });
}

function recoverLines({ turns, restore, lost }: StatusData["to_recover"]): readonly string[] {
  const lines = [
    ...(restore ? ["a restore was cut off: the files may be a mix of two states"] : []),
    ...(turns > 0 ? [`${formatNumberOf(turns, "turn")} cut off`] : []),
    ...(lost > 0 ? [`${formatNumberOf(lost, "recorded turn")} without a name`] : []),
  ];
  return lines.length === 0 ? [] : [...lines, "keep or undo: skein recover"];
}

import { z } from "zod";
import { asData, RestoreData, toRestoreData } from "../../../protocol/index.ts";
import { recover as recoverWorkspace } from "../../../trace/internal.ts";
import { stateArgument, switchFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { formatCard, formatMoment, fitLine, plainLine, type Terminal } from "../../../terminal/index.ts";
import { cwdFlag, openRecorded } from "../../open-workspace.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import { formatArrival, formatRestore, restoreHere, undoHere, yesFlag } from "../../states/restore-here.ts";
import { shortId } from "../../states/short-id.ts";

export const restore = defineCommand({
  name: "restore",
  summary: "Put the files back to a state",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    state: stateArgument,
    cwd: cwdFlag,
    ...captureFlags,
    dryRun: switchFlag("Only show what would change"),
    yes: yesFlag,
  }),
  positional: ["state"],
  data: RestoreData,
  examples: ["restore before-vue", "restore @~1 --dry-run"],
  async run({ state, cwd, dryRun, yes, ...captured }, context) {
    await using workspace = await openRecorded(cwd, context, captureOptions(captured));
    return await restoreHere(workspace, { state, dryRun, yes }, context);
  },
  format: formatRestore,
});

/** Brings what a branch came to into the workspace: a restore, told as what it is for. */
export const adopt = defineCommand({
  ...restore,
  name: "adopt",
  summary: "Bring a branch's state and conversation here",
  examples: ["adopt d218705ebbc8", "adopt d218705ebbc8 --dry-run"],
  format(data, context) {
    const { cyan, dim } = context.terminal.colors;
    if (data.dry_run) return formatArrival(data, context, "Would adopt");
    return `${formatArrival(data, context, "Adopted")}\n${dim("Continue:")} ${cyan('skein run "…" --continue')}\n`;
  },
});

export const undo = defineCommand({
  name: "undo",
  summary: "Take back the last turn: files, git and session",
  effects: { changes: "replaces", isRepeatable: false, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    ...captureFlags,
    dryRun: switchFlag("Only show what would change"),
    merge: switchFlag("If the same lines changed after the turn, keep both versions, with conflict marks"),
    discard: switchFlag("If the same lines changed after the turn, discard the later change"),
  }),
  conflicts: ["merge", "discard"],
  data: RestoreData,
  examples: ["undo", "undo --dry-run", "undo --merge"],
  async run({ cwd, ...how }, context) {
    await using workspace = await openRecorded(cwd, context, captureOptions(how));
    return await undoHere(workspace, how, context);
  },
  format: formatRestore,
});

const CutOffRestore = z.strictObject({
  target_id: z.string().describe("What the files were to be put back to: a state, or a snapshot that is none"),
  undo_id: z.string().describe("The snapshot of the files before it"),
  started_at: z.string().describe("When the restore was begun, ISO 8601"),
  became: z
    .enum(["finished", "taken-back"])
    .nullable()
    .describe("What was done about it; null where it was only looked at"),
});

/** A recorded turn whose conversation has lost its name. */
const LostTurn = z.strictObject({
  state_id: z.string().describe("The state after the turn"),
  conversation_id: z.string().describe("The conversation that the turn belongs to"),
  prompt: z.string().describe("The turn's prompt, in one line"),
  recorded_at: z.string().describe("When it was recorded, ISO 8601"),
  is_named: z.boolean().describe("Whether a name leads to it again now"),
});

const CutOffTurn = z.strictObject({
  transition_id: z.string().describe("The turn's id"),
  conversation_id: z.string().describe("The conversation that the turn belongs to"),
  prompt: z.string().describe("The turn's prompt, in one line"),
  started_at: z.string().describe("When the turn began, ISO 8601"),
  before_state_id: z.string().describe("The state before the turn"),
  had_ended: z.boolean().describe("Whether the turn itself had ended, and only its record was cut off"),
  tools_used: z.array(z.string()).describe("The tools that it had called by then"),
  state_id: z.string().nullable().describe("The state that it is recorded as; null where it was only looked at"),
});

const Recovered = z.strictObject({
  turns: z.array(CutOffTurn).describe("Turns that were cut off before they were recorded"),
  restored: RestoreData.nullable().describe("What became of the files; null where they were left as they are"),
  cut_off_restore: CutOffRestore.nullable().describe("A restore that was cut off; null where there is none"),
  lost: z.array(LostTurn).describe("Recorded turns to which no name led any more, as after a power cut"),
});

export const recover = defineCommand({
  name: "recover",
  summary: "Show what was cut off; keep it or undo it",
  effects: { changes: "replaces", isRepeatable: false, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    keep: switchFlag("Record an interrupted turn with the files as they are; finish an interrupted restore"),
    undo: switchFlag(
      "Record an interrupted turn, then put the files back as they were before it; take back an interrupted restore",
    ),
  }),
  conflicts: ["keep", "undo"],
  data: Recovered,
  examples: ["recover", "recover --keep", "recover --undo"],
  async run({ cwd, keep, ...given }, context) {
    await using workspace = await openRecorded(cwd, context);
    const wish = keep ? "keep" : given.undo ? "undo" : "look";
    const { turns, undone, restore: half, lost } = await recoverWorkspace(workspace, wish, context);
    return {
      turns: turns.map((turn) => asData(CutOffTurn, turn)),
      restored: undone ? toRestoreData(workspace, undone) : null,
      cut_off_restore: half
        ? asData(CutOffRestore, { ...half, targetId: half.stateId ?? half.snapshotId, undoId: half.undo })
        : null,
      lost: lost.map((state) => asData(LostTurn, { ...state, prompt: state.subject, isNamed: wish !== "look" })),
    };
  },
  format: formatRecovery,
});

function formatRecovery(recovered: z.infer<typeof Recovered>, context: CommandContext): string {
  const { turns, restored, cut_off_restore: half, lost } = recovered;
  const { terminal } = context;
  const others = [...(half ? [formatHalf(half, terminal)] : []), ...lost.map((turn) => formatLost(turn, terminal))];
  if (turns.length === 0) return others.join("") || "No turn was cut off here.\n";
  const { bold, cyan, yellow } = terminal.colors;
  const parts = turns.map((turn) => {
    const prompt = fitLine(plainLine(turn.prompt), Math.max(terminal.columns - 4, 16));
    const rows = formatCard(
      [
        ["Began", formatMoment(Date.parse(turn.started_at))],
        ["Tools", turn.tools_used.map(plainLine).join(" · ") || "none"],
        ["Kept as", ...(turn.state_id === null ? [] : [yellow(shortId(turn.state_id))])],
      ],
      terminal,
    );
    return `${yellow("!")} ${bold(prompt)}\n${rows}`;
  });
  const isOpen = turns.some(({ state_id: id }) => id === null);
  const what = isOpen
    ? `\nRecord it: ${cyan("skein recover --keep")}. Take it back: ${cyan("skein recover --undo")}\n`
    : "";
  return `${others.join("")}${parts.join("\n")}${what}${restored ? `\n${formatRestore(restored, context)}` : ""}`;
}

function formatLost(
  { state_id: id, prompt, is_named: isNamed, recorded_at: at }: z.infer<typeof LostTurn>,
  { colors: { cyan, green, yellow }, columns }: Terminal,
): string {
  const words = fitLine(plainLine(prompt), Math.max(columns - 40, 16));
  const what = isNamed ? "has its conversation's name again" : `has lost its name: ${cyan("skein recover --keep")}`;
  return `${isNamed ? green("✓") : yellow("!")} ${yellow(shortId(id))} "${words}" of ${formatMoment(Date.parse(at))} ${what}\n`;
}

function formatHalf(
  { target_id: id, started_at: at, became }: z.infer<typeof CutOffRestore>,
  { colors: { cyan, green, yellow } }: Terminal,
): string {
  if (became !== null) return `${green("✓")} The restore to ${yellow(shortId(id))} is ${became.replace("-", " ")}\n`;
  const when = formatMoment(Date.parse(at));
  return (
    `${yellow("!")} A restore to ${yellow(shortId(id))} was cut off (${when}): the files may be a mix of two states\n` +
    `  Finish it: ${cyan("skein recover --keep")}. Take it back: ${cyan("skein recover --undo")}\n`
  );
}

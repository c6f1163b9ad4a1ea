import { z } from "zod";
import { asData } from "../../../protocol/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { formatMoment } from "../../format-time.ts";
import { fitLine, plainLine } from "../../plain-text.ts";
import { shortId } from "../../states/short-id.ts";
import { recover as recoverWorkspace } from "../../../trace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { detailRows } from "../../detail-rows.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { formatRestore, RestoreData, toRestoreData } from "../../states/restore-here.ts";
import { switchFlag } from "../../common-flags.ts";

const CutOffRestore = z.strictObject({
  /** What the files were to be put back to: a state, or a snapshot that is none. */
  target_id: z.string(),
  /** The snapshot of the files before it. */
  undo_id: z.string(),
  started_at: z.string(),
  /** What was done about it; null where it was only looked at. */
  became: z.enum(["finished", "taken-back"]).nullable(),
});

/** A recorded turn whose conversation has lost its name. */
const LostTurn = z.strictObject({
  state_id: z.string(),
  conversation_id: z.string(),
  prompt: z.string(),
  recorded_at: z.string(),
  /** Whether it has a name again. */
  is_named: z.boolean(),
});

function formatRecoveredStore(
  restore: z.infer<typeof CutOffRestore> | null,
  lost: readonly z.infer<typeof LostTurn>[],
  { terminal }: CommandContext,
): string {
  const { cyan, green, yellow } = terminal.colors;
  const lines = lost.map(({ state_id: id, prompt, is_named: isNamed, recorded_at: at }) => {
    const words = fitLine(plainLine(prompt), Math.max(terminal.columns - 40, 16));
    const what = isNamed ? "has its conversation's name again" : `has lost its name: ${cyan("skein recover --keep")}`;
    return `${isNamed ? green("✓") : yellow("!")} ${yellow(shortId(id))} "${words}" of ${formatMoment(Date.parse(at))} ${what}\n`;
  });
  return `${restore ? formatRestored(restore, terminal) : ""}${lines.join("")}`;
}

function formatRestored(
  { target_id: id, started_at: at, became }: z.infer<typeof CutOffRestore>,
  { colors: { cyan, green, yellow } }: CommandContext["terminal"],
): string {
  if (became === "finished") return `${green("✓")} The restore to ${yellow(shortId(id))} is finished\n`;
  if (became === "taken-back") return `${green("✓")} The restore to ${yellow(shortId(id))} is taken back\n`;
  const when = formatMoment(Date.parse(at));
  return (
    `${yellow("!")} A restore to ${yellow(shortId(id))} was cut off (${when}): the files may be a mix of two states\n` +
    `  Finish it: ${cyan("skein recover --keep")}. Take it back: ${cyan("skein recover --undo")}\n`
  );
}

const CutOffTurn = z.strictObject({
  transition_id: z.string(),
  conversation_id: z.string(),
  prompt: z.string(),
  started_at: z.string(),
  before_state_id: z.string(),
  /** Whether the turn itself had ended, and only its record was cut off. */
  had_ended: z.boolean(),
  tools_used: z.array(z.string()),
  /** The state that it is recorded as; null where it was only looked at. */
  state_id: z.string().nullable(),
});

const data = z.strictObject({
  turns: z.array(CutOffTurn),
  restored: RestoreData.nullable(),
  cut_off_restore: CutOffRestore.nullable(),
  /** Recorded turns to which no name led any more, as after a power cut. */
  lost: z.array(LostTurn),
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
  data,
  examples: ["recover", "recover --keep", "recover --undo"],
  async run({ cwd, keep, undo }, context) {
    await using workspace = await openWorkspace(cwd, context);
    const wish = keep ? "keep" : undo ? "undo" : "look";
    const { turns, undone, restore, lost } = await recoverWorkspace(workspace, wish, context);
    return {
      turns: turns.map((turn) => asData(CutOffTurn, turn)),
      restored: undone ? toRestoreData(workspace, undone) : null,
      cut_off_restore: restore
        ? asData(CutOffRestore, { ...restore, targetId: restore.stateId ?? restore.snapshotId, undoId: restore.undo })
        : null,
      lost: lost.map((state) => asData(LostTurn, { ...state, prompt: state.subject, isNamed: wish !== "look" })),
    };
  },
  format: formatRecovery,
});

function formatRecovery(recovered: z.infer<typeof data>, context: CommandContext): string {
  const { turns, restored } = recovered;
  const { terminal } = context;
  const others = formatRecoveredStore(recovered.cut_off_restore, recovered.lost, context);
  if (turns.length === 0) return others || "No turn was cut off here.\n";
  const { bold, cyan, yellow } = terminal.colors;
  const parts = turns.map((turn) => {
    const prompt = fitLine(plainLine(turn.prompt), Math.max(terminal.columns - 4, 16));
    const rows = detailRows(
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
  return `${others}${parts.join("\n")}${what}${restored ? `\n${formatRestore(restored, context)}` : ""}`;
}

import { z } from "zod";
import { findInterruptedTurns, hasLeftJournal, type InterruptedTurn, type TurnToUndo } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../define-command.ts";
import { detailRows } from "../detail-rows.ts";
import { formatMoment } from "../format-time.ts";
import { cwdFlag, openWorkspace } from "../open-workspace.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { formatRestore, RestoreData } from "../states/restore-data.ts";
import {
  CutOffRestore,
  formatRecoveredStore,
  LostTurn,
  recoverNames,
  recoverRestore,
  type Wish,
} from "../states/recover-store.ts";
import { shortId } from "../states/short-id.ts";
import { takeDirectory } from "../states/take-directory.ts";
import { undoInDirectory } from "../states/undo-in-directory.ts";

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
  /** A restore that was cut off; null where there was none. */
  cut_off_restore: CutOffRestore.nullable(),
  /** Recorded turns to which no name led any more, as after a power cut. */
  lost: z.array(LostTurn),
});

/** Shows what a kill or a power cut has left: turns, a restore, lost names; and records, finishes or undoes it. */
export const recover = defineCommand({
  name: "recover",
  summary: "Show what was cut off; keep it or undo it",
  heading: "Recorded states:",
  effects: { changes: "replaces", isRepeatable: false, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    keep: z
      .boolean()
      .default(false)
      .meta({ description: "Record an interrupted turn with the files as they are; finish an interrupted restore" }),
    undo: z.boolean().default(false).meta({
      description:
        "Record an interrupted turn, then put the files back as they were before it; take back an interrupted restore",
    }),
  }),
  conflicts: ["keep", "undo"],
  data,
  examples: ["recover", "recover --keep", "recover --undo"],
  async run({ cwd, keep, undo }, context) {
    await using workspace = await openWorkspace(cwd, context);
    const wish = keep ? "keep" : undo ? "undo" : "look";
    // First the files, which turns are recorded with, and then the names.
    const restore = await recoverRestore(workspace, wish);
    const recovered = await recoverTurns(workspace, wish, context);
    return { ...recovered, cut_off_restore: restore, lost: await recoverNames(workspace, wish) };
  },
  format: formatRecovery,
});

async function recoverTurns(
  workspace: Workspace,
  wish: Wish,
  context: CommandContext,
): Promise<Pick<z.infer<typeof data>, "turns" | "restored">> {
  const found = await findInterruptedTurns(workspace);
  const [first] = found;
  const quietly = { ...context, notice: () => {} };
  // A turn that is recorded has only its journal left: there is nothing to decide.
  if (!first && (await hasLeftJournal(workspace))) await takeDirectory(workspace, quietly, async () => {});
  if (!first || wish === "look") return { turns: found.map((turn) => toData(turn)), restored: null };
  const kept = await takeDirectory(workspace, quietly, async (turns) => turns);
  const states = new Map(kept.map(({ transition, state }) => [transition.id, state.id]));
  const turns = found.map((turn) => toData(turn, states.get(turn.transitionId)));
  if (wish === "keep") return { turns, restored: null };
  // They lie one after the other; what was done by hand since the last was cut off cannot be told from it.
  const after = kept.at(-1)?.state.id;
  const find = async (): Promise<TurnToUndo> => ({ before: first.beforeStateId, after });
  const request = { find, dryRun: false, merge: false, discard: false };
  return { turns, restored: await undoInDirectory(workspace, request, context) };
}

function toData(turn: InterruptedTurn, stateId?: string): z.infer<typeof CutOffTurn> {
  return {
    transition_id: turn.transitionId,
    conversation_id: turn.conversationId,
    prompt: turn.prompt,
    started_at: turn.startedAt,
    before_state_id: turn.beforeStateId,
    had_ended: turn.hadEnded,
    tools_used: [...turn.toolsUsed],
    state_id: stateId ?? null,
  };
}

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

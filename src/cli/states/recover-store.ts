import { z } from "zod";
import type { CommandContext } from "../command-context.ts";
import { formatMoment } from "../format-time.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { shortId } from "./short-id.ts";

/** A restore that was cut off, as the envelope tells it. */
export const CutOffRestore = z.strictObject({
  /** What the files were to be put back to: a state, or a snapshot that is none. */
  target_id: z.string(),
  /** The snapshot of the files before it. */
  undo_id: z.string(),
  started_at: z.string(),
  /** What was done about it; null where it was only looked at. */
  became: z.enum(["finished", "taken-back"]).nullable(),
});

/** A recorded turn whose conversation has lost its name. */
export const LostTurn = z.strictObject({
  state_id: z.string(),
  conversation_id: z.string(),
  prompt: z.string(),
  recorded_at: z.string(),
  /** Whether it has a name again. */
  is_named: z.boolean(),
});

/** Both for people; an empty text where there is nothing to tell. */
export function formatRecoveredStore(
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

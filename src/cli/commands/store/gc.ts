import { z } from "zod";
import { collectGarbage } from "../../../trace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { formatBytes, formatNumberOf } from "../../format-amounts.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { plainLine } from "../../plain-text.ts";
import { shownRef } from "../../states/short-id.ts";
import type { Terminal } from "../../terminal.ts";
import { switchFlag } from "../../common-flags.ts";

const LISTED_NAMES = 8;

const data = z.strictObject({
  dry_run: z.boolean(),
  keep_days: z.int(),
  removed: z.array(z.strictObject({ ref: z.string(), reason: z.string() })),
  bytes_before: z.int(),
  /** An estimate in a dry run. */
  bytes_after: z.int(),
  /** What the disk had no space for; as much as possible was freed without. */
  not_done: z.array(z.strictObject({ what: z.string(), kind: z.string(), message: z.string() })),
});

export const gc = defineCommand({
  name: "gc",
  summary: "Free the space of conversations long unused",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    keepDays: z.coerce.number().int().min(0).default(90).meta({
      label: "days",
      description: "Keep conversations that had a turn in the last <days> days",
    }),
    dryRun: switchFlag("Only show what would be removed, as without --yes"),
    yes: switchFlag("Really remove it"),
  }),
  conflicts: ["dryRun", "yes"],
  data,
  examples: ["gc", "gc --keep-days 30 --yes"],
  async run({ cwd, keepDays, yes }, context) {
    await using workspace = await openWorkspace(cwd, context);
    // A turn that is being recorded has objects that nothing names yet.
    await using _ = yes ? await workspace.claim() : undefined;
    const { removed, bytesBefore, bytesAfter, notDone } = await collectGarbage(workspace, { keepDays, dryRun: !yes });
    return {
      dry_run: !yes,
      keep_days: keepDays,
      removed: removed.map(({ ref, reason }) => ({ ref, reason })),
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
      not_done: notDone.map(({ what, kind, message }) => ({ what, kind, message })),
    };
  },
  format: formatCollection,
});

function formatCollection(collection: z.infer<typeof data>, { terminal }: CommandContext): string {
  const { dry_run: isDryRun, keep_days: days, bytes_before: before, bytes_after: after } = collection;
  const { dim, cyan, yellow } = terminal.colors;
  const freed = formatBytes(Math.max(before - after, 0));
  const names = formatNumberOf(collection.removed.length, "name");
  const list = removedLines(collection.removed, terminal);
  if (!isDryRun) {
    const later = dim("Anything written in the last day is freed by a later gc.");
    const missed = collection.not_done.map(({ message }) => `${yellow("!")} ${plainLine(message)}\n`).join("");
    const again = missed === "" ? "" : `${dim("Free some space on the store's disk, then run it again.")}\n`;
    return `${list}Removed ${names}, freed ${freed}; ${formatBytes(after)} left\n${missed}${again}${later}\n`;
  }
  const how = list === "" ? "" : `\n${dim("Do it:")} ${cyan(`skein gc --keep-days ${days} --yes`)}`;
  return `${list}Would remove ${names} and free about ${freed} of ${formatBytes(before)}${how}\n`;
}

/** The names under why they go; of many only the first. */
function removedLines(removed: z.infer<typeof data>["removed"], { colors }: Terminal): string {
  const reasons = [...new Set(removed.map(({ reason }) => reason))];
  const parts = reasons.map((reason) => {
    const refs = removed.filter((each) => each.reason === reason).map(({ ref }) => ref);
    const lines = refs.slice(0, LISTED_NAMES).map((ref) => `  ${colors.red("-")} ${shownRef(ref)}\n`);
    const others = refs.length - lines.length;
    const more = others > 0 ? `  ${colors.red("-")} ${formatNumberOf(others, "more name")}\n` : "";
    return `${colors.dim(plainLine(reason))}\n${lines.join("")}${more}\n`;
  });
  return parts.join("");
}

import { z } from "zod";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { formatCount, formatDuration } from "../../format-amounts.ts";
import { plainLine } from "../../plain-text.ts";
import { homeFlag, momentOf, openTranscripts, projectFlag } from "./open-transcripts.ts";
import {
  formatNotes,
  toUnreadData,
  UnreadData,
  unreadNotes,
  costText,
  PricesData,
  tokensText,
  toUsageData,
  trustNotes,
  UsageData,
} from "./usage-data.ts";
import { defined } from "../../../core/index.ts";
import { textFlag } from "../../common-flags.ts";

const GROUPS = ["day", "model", "project", "tool", "session"] as const;

const Row = z.strictObject({
  /** A day, a model, a project, a tool or a session's id. */
  key: z.string(),
  label: z.string().nullable(),
  usage: UsageData,
  /** Of tools alone. */
  tool: z
    .strictObject({
      calls: z.int(),
      errors: z.int(),
      unanswered: z.int(),
      average_duration_ms: z.number().nullable(),
    })
    .nullable(),
});

const data = z.strictObject({
  by: z.enum(GROUPS),
  rows: z.array(Row),
  total: UsageData,
  prices: PricesData,
  /** Models without a known price: their tokens are counted, their money is not. */
  unpriced_models: z.array(z.string()),
  ...UnreadData.shape,
});

export const stats = defineCommand({
  name: "stats",
  summary: "Total up tokens and cost across sessions",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    by: z.enum(GROUPS).default("day").meta({ label: "group", description: "What to group by" }),
    project: projectFlag,
    session: textFlag("id", "Only this session"),
    model: textFlag("model", "Only models with this in their name"),
    since: textFlag("time", "Since this time: 2026-11-15, 3h, 7d"),
    until: textFlag("time", "Before this time"),
    timeZone: textFlag("zone", "The time zone in which days begin (default: the local one)"),
    claudeHome: homeFlag,
  }),
  data,
  examples: ["stats", "stats --by model --since 30d", "stats --by tool --project skein --output-format json"],
  async run({ by, project, session, model, since, until, timeZone, claudeHome }, context) {
    const [sinceMs, untilMs] = [momentOf("stats", "--since", since), momentOf("stats", "--until", until)];
    await using opened = await openTranscripts(claudeHome, context);
    const found = await opened.index.stats({
      by,
      ...defined({ project, session, model, timeZone, sinceMs, untilMs }),
    });
    return {
      by,
      rows: found.rows.map(({ key, label, tool, ...totals }) => ({
        key,
        label: label ?? null,
        usage: toUsageData(totals),
        tool: tool
          ? {
              calls: tool.calls,
              errors: tool.errors,
              unanswered: tool.unanswered,
              average_duration_ms: tool.averageDurationMs ?? null,
            }
          : null,
      })),
      total: toUsageData(found.total),
      prices: { ...found.prices },
      unpriced_models: [...found.unpricedModels],
      ...toUnreadData(opened.refreshed),
    };
  },
  format: formatStats,
});

const BAR_WIDTH = 24;

function formatStats(found: z.infer<typeof data>, { terminal }: CommandContext): string {
  const { rows, total, prices, unpriced_models: unpriced } = found;
  const { dim, cyan } = terminal.colors;
  if (rows.length === 0) return `Nothing was counted.\n${formatNotes(unreadNotes(found), dim)}`;
  const names = rows.map(({ key, label }) => plainLine(label ?? key) || "(none)");
  const width = Math.min(36, Math.max(...names.map((name) => name.length)));
  const most = Math.max(...rows.map(({ usage }) => usage.cost_usd));
  const lines = rows.map(({ usage, tool }, index) => {
    const name = (names[index] ?? "").slice(0, width).padEnd(width);
    const bar = terminal.isLive ? `  ${cyan(barOf(usage.cost_usd, most))}` : "";
    return `  ${name}  ${costText(usage).padStart(10)}  ${tokensText(usage).padStart(7)}${tool ? `  ${toolText(tool)}` : ""}${bar}`;
  });
  const notes = [
    ...trustNotes(total, prices),
    ...(unpriced.length > 0 ? [`No price is known for ${unpriced.map(plainLine).join(", ")}`] : []),
    ...unreadNotes(found),
  ];
  const sum = `${"Total".padEnd(width)}  ${costText(total).padStart(10)}  ${tokensText(total).padStart(7)}`;
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n\n  ${sum}\n${formatNotes(notes, dim)}`;
}

function toolText({ calls, errors, average_duration_ms: averageMs }: NonNullable<z.infer<typeof Row>["tool"]>): string {
  const duration = averageMs === null ? "" : formatDuration(averageMs);
  return `${formatCount(calls).padStart(6)}×  ${(errors > 0 ? `${formatCount(errors)} failed` : "").padStart(10)}  ${duration.padStart(8)}`;
}

/** A bar in eighths of a character. */
function barOf(value: number, most: number): string {
  const eighths = most > 0 ? Math.round((value / most) * BAR_WIDTH * 8) : 0;
  return `${"█".repeat(Math.floor(eighths / 8))}${eighths % 8 > 0 ? (EIGHTHS[(eighths % 8) - 1] ?? "") : ""}`.padEnd(
    BAR_WIDTH,
  );
}

const EIGHTHS = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

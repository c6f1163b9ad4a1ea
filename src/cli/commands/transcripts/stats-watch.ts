import { basename, join, relative } from "node:path";
import { z } from "zod";
import { defined, isoTime, systemClock } from "../../../core/internal.ts";
import { asData } from "../../../protocol/index.ts";
import { watchSessions } from "../../../trace/internal.ts";
import { createUsageCounter, type WatchEvent } from "../../../transcript/internal.ts";
import { countFlag, includeOfflineFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import {
  type Column,
  fitLine,
  formatCount,
  formatDuration,
  formatMoment,
  formatNotes,
  formatNumberOf,
  formatTable,
  plainLine,
  widthOf,
} from "../../../terminal/index.ts";
import { homeFlag, openTotals, periodOf, projectFlag } from "./open-transcripts.ts";
import {
  costColumn,
  costText,
  countedUsage,
  offlineNotes,
  PricesData,
  SkippedData,
  tokensText,
  toUnreadData,
  toUsageData,
  trustNotes,
  UnreadData,
  unreadNotes,
  UsageData,
} from "../../../page/index.ts";

const GROUPS = ["day", "model", "project", "tool", "session"] as const;

const Row = z.strictObject({
  key: z.string().describe("A day, a model, a project, a tool or a session's id"),
  label: z.string().nullable().describe("What people call it, such as a session's title; null where the key is all"),
  usage: UsageData.describe("What was used"),
  tool: z
    .strictObject({
      calls: z.int().describe("How often it was called"),
      errors: z.int().describe("How often it failed"),
      unanswered: z.int().describe("How many calls have no result"),
      average_duration_ms: z
        .number()
        .nullable()
        .describe("How long a call took on average, in milliseconds; null where none was answered"),
    })
    .nullable()
    .describe("How the tool's calls went; null unless the rows are tools"),
});

const StatsData = z.strictObject({
  by: z.enum(GROUPS).describe("What the rows are"),
  rows: z.array(Row).describe("One row for each group"),
  total: UsageData.describe("Sums over all rows"),
  prices: PricesData.describe("The price list that the money is from"),
  includes_offline: z.boolean().describe("Whether the money counts the offline model, by the price list"),
  unpriced_models: z
    .array(z.string())
    .describe("Models without a known price: their tokens are counted, their money is not"),
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
    includeOffline: includeOfflineFlag,
    timeZone: textFlag("zone", "The time zone in which days begin (default: the local one)"),
    claudeHome: homeFlag,
  }),
  data: StatsData,
  examples: ["stats", "stats --by model --since 30d", "stats --by tool --project skein --output-format json"],
  async run({ by, since, until, claudeHome, includeOffline, ...wanted }, context) {
    const period = periodOf("stats", { since, until });
    await using opened = await openTotals(claudeHome, context);
    const found = await opened.totals.stats({ by, ...defined(wanted), ...period });
    return {
      by,
      rows: found.rows.map((row) => asData(Row, { ...row, usage: countedUsage(row, includeOffline) })),
      total: toUsageData(found.total, includeOffline),
      prices: { ...found.prices },
      includes_offline: includeOffline,
      unpriced_models: [...found.unpricedModels],
      ...toUnreadData(opened.refreshed),
    };
  },
  format: formatStats,
});

const BAR_WIDTH = 24;

function formatStats(found: z.infer<typeof StatsData>, { terminal }: CommandContext): string {
  const { by, rows, total, prices, unpriced_models: unpriced } = found;
  const { cyan, red } = terminal.colors;
  if (rows.length === 0) return `Nothing was counted.\n${formatNotes(unreadNotes(found), terminal)}`;
  const most = Math.max(...rows.map(({ usage }) => usage.cost_usd));
  const [sum = "", ...costs] = costColumn([total, ...rows.map(({ usage }) => usage)]);
  const cells = rows.map(({ key, label, usage, tool }, index) => [
    plainLine(label ?? key) || "(none)",
    costs[index] ?? "",
    tokensText(usage),
    tool ? formatCount(tool.calls) : "",
    tool && tool.errors > 0 ? red(formatCount(tool.errors)) : "",
    tool && tool.average_duration_ms !== null ? formatDuration(tool.average_duration_ms) : "",
    terminal.isLive ? cyan(barOf(usage.cost_usd, most)).trimEnd() : "",
  ]);
  const columns: readonly Column[] = [
    { name: `${by.slice(0, 1).toUpperCase()}${by.slice(1)}`, narrow: "cut", leastColumns: 30 },
    { name: "Cost", align: "right" },
    { name: "Tokens", align: "right" },
    { name: "Calls", align: "right" },
    { name: "Failed", align: "right" },
    { name: "Average", align: "right" },
    { name: "", narrow: "drop" },
  ];
  const sumOf = (figure: "calls" | "errors"): string => {
    const figures = rows.flatMap(({ tool }) => tool ?? []);
    const count = figures.reduce((all, tool) => all + tool[figure], 0);
    return figures.length === 0 || (figure === "errors" && count === 0) ? "" : formatCount(count);
  };
  const sums = ["Total", sum, tokensText(total), sumOf("calls"), sumOf("errors"), "", ""];
  const notes = [
    ...trustNotes(total, prices),
    ...offlineNotes(total, found.includes_offline),
    ...(unpriced.length > 0 ? [`No price is known for ${unpriced.map(plainLine).join(", ")}`] : []),
    ...unreadNotes(found),
  ];
  return `${formatTable({ columns, rows: cells, total: sums }, terminal)}\n${formatNotes(notes, terminal)}`;
}

function barOf(value: number, most: number): string {
  const eighths = most > 0 ? Math.round((value / most) * BAR_WIDTH * 8) : 0;
  return `${"█".repeat(Math.floor(eighths / 8))}${eighths % 8 > 0 ? (EIGHTHS[(eighths % 8) - 1] ?? "") : ""}`.padEnd(
    BAR_WIDTH,
  );
}

const EIGHTHS = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

const WatchedData = z.strictObject({
  records: z.int().describe("How many records went by"),
  started_at: z.string().describe("When watching began, ISO 8601"),
  usage: UsageData.describe("Of the responses that went by, each counted once"),
  prices: PricesData.describe("The price list that the money is from"),
  ...UnreadData.shape,
});

const WatchedRecord = z
  .strictObject({
    type: z.literal("record").describe("What happened"),
    path: z.string().describe("The transcript's file"),
    session_id: z.string().describe("The session that it belongs to"),
    agent_id: z.string().nullable().describe("The sub-agent that wrote it; null in the main conversation"),
    project: z.string().nullable().describe("The folder that the session is in; null where it is not known"),
    role: z.enum(["user", "assistant"]).describe("Who wrote it"),
    text: z.string().describe("Its text"),
    tools: z.array(z.string()).describe("The tools that it calls"),
    files: z.array(z.string()).describe("The files that those calls name"),
    at: z.string().nullable().describe("When it was written, ISO 8601; null where the record does not say"),
    message_id: z.string().nullable().describe("The id that the API gave the response; null of what a user wrote"),
  })
  .describe("A message was written to a transcript");

const WatchedSkip = z
  .strictObject({ type: z.literal("skipped").describe("What happened"), ...SkippedData.shape })
  .describe("A file or folder could not be read");

const WatchedBreak = z
  .strictObject({
    type: z.literal("broken").describe("What happened"),
    path: z.string().describe("The transcript's file"),
    offset: z.int().describe("Where the line is in the file, in bytes"),
    length_bytes: z.int().describe("The line's length"),
  })
  .describe("A line is no record");

export const watch = defineCommand({
  name: "watch",
  summary: "Follow sessions as they are written",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    project: projectFlag,
    limit: countFlag("Stop after this many events"),
    claudeHome: homeFlag,
  }),
  data: WatchedData,
  streaming: "always",
  events: [WatchedRecord, WatchedSkip, WatchedBreak],
  examples: ["watch", "watch --project shop --output-format stream-json"],
  async run({ project, limit = Number.POSITIVE_INFINITY, claudeHome }, context) {
    const startedAt = isoTime(systemClock.now());
    const usage = createUsageCounter();
    const unread: UnreadData = { skipped: [], broken_lines: 0 };
    let records = 0;
    const options = {
      signal: context.signal,
      ...(claudeHome === undefined ? {} : { base: join(claudeHome, "projects") }),
      ...defined({ project }),
    };
    await context.print(`${context.terminal.colors.dim("Waiting for Claude Code to write; Ctrl-C stops.")}\n`);
    for await (const event of watchSessions(options)) {
      if (event.type === "record" && event.usage !== undefined) usage.add(event.usage, event.path);
      if (event.type === "skipped") unread.skipped.push(asData(SkippedData, event.skipped));
      if (event.type === "broken") unread.broken_lines += 1;
      // What only counts tokens is in the sums; there is nothing of it to be shown.
      if (event.type === "record" && event.text.trim() === "" && event.tools.length === 0) continue;
      await context.emit(toEvent(event));
      await context.print(lineOf(event, context));
      records += event.type === "record" ? 1 : 0;
      if (records >= limit) break;
    }
    const { total, prices } = usage.report();
    return { records, started_at: startedAt, usage: toUsageData(total), prices: { ...prices }, ...unread };
  },
  format: formatWatched,
});

function toEvent(event: WatchEvent): z.infer<typeof WatchedRecord | typeof WatchedSkip | typeof WatchedBreak> {
  if (event.type === "skipped") return { type: "skipped", ...asData(SkippedData, event.skipped) };
  if (event.type === "broken") {
    return { type: "broken", path: event.path, offset: event.offset, length_bytes: event.lengthBytes };
  }
  const { path, sessionId, agentId, project, role, text, tools, files, at, usage } = event;
  const place = { path, session_id: sessionId, agent_id: agentId ?? null, project: project ?? null };
  const message = {
    role,
    text,
    tools: [...tools],
    files: [...files],
    at: at ?? null,
    message_id: usage?.messageId ?? null,
  };
  return { type: "record", ...place, ...message };
}

function formatWatched(found: z.infer<typeof WatchedData>, { terminal }: CommandContext): string {
  const sum = `${formatNumberOf(found.records, "record")} · ${costText(found.usage)} · ${tokensText(found.usage)} tokens`;
  const notes = [
    sum,
    ...(found.usage.responses > 0 ? trustNotes(found.usage, found.prices) : []),
    ...unreadNotes(found),
  ];
  return formatNotes(notes, terminal);
}

function lineOf(event: WatchEvent, { terminal }: CommandContext): string {
  const { cyan, dim, green, yellow } = terminal.colors;
  if (event.type === "skipped") return `${dim(plainLine(event.skipped.message))}\n`;
  if (event.type === "broken") return `${dim(`A broken line at byte ${event.offset} of ${plainLine(event.path)}`)}\n`;
  const { sessionId, project, role, text, tools, files, at } = event;
  const time = at === undefined ? "" : formatMoment(Date.parse(at)).slice(11);
  const paths = files.map((path) => shownBelow(path, project));
  const said = plainLine([text, ...tools.map((tool) => `[${tool}]`), ...paths].filter((part) => part !== "").join(" "));
  const who = role === "user" ? cyan("user ") : green("agent");
  const place = plainLine(basename(project ?? ""));
  const rest = Math.max(20, terminal.columns - 23 - time.length - widthOf(place));
  return `${dim(time)}  ${yellow(sessionId.slice(0, 8))}  ${place}  ${who}  ${fitLine(said, rest)}\n`;
}

/** A file below its project by the path there, another one by all of its path. */
function shownBelow(path: string, project = ""): string {
  const below = relative(project, path);
  return project === "" || below === "" || below.startsWith("..") ? path : below;
}

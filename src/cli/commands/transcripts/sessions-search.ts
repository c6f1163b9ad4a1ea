import { basename } from "node:path";
import { z } from "zod";
import { defined, isoTime, systemClock } from "../../../core/internal.ts";
import { asData, usageError } from "../../../protocol/index.ts";
import { argument, includeOfflineFlag, limitFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import {
  type Column,
  formatBytes,
  formatNotes,
  formatNumberOf,
  formatTable,
  formatWhen,
  plainLine,
  plainText,
  wrapText,
} from "../../../terminal/index.ts";
import { homeFlag, openIndex, openTotals, periodOf, projectFlag } from "./open-transcripts.ts";
import {
  costColumn,
  offlineNotes,
  IndexedSessionData,
  nameOf,
  PricesData,
  toIndexedSessionData,
  tokensText,
  toUnreadData,
  toUsageData,
  trustNotes,
  UnreadData,
  unreadNotes,
  UsageData,
} from "../../../page/index.ts";

const SessionList = z.strictObject({
  sessions: z.array(IndexedSessionData).describe("Claude Code's sessions that match, newest first"),
  count: z.int().describe("How many match, listed or not"),
  totals: UsageData.describe("Sums over all that match, listed or not"),
  prices: PricesData.describe("The price list that the money is from"),
  includes_offline: z.boolean().describe("Whether the money counts the offline model, by the price list"),
  ...UnreadData.shape,
});

export const sessions = defineCommand({
  name: "sessions",
  summary: "List Claude Code sessions with tokens and cost",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    project: projectFlag,
    since: textFlag("time", "Active since: 2026-11-15, 3h, 7d"),
    until: textFlag("time", "Active before this time"),
    model: textFlag("model", "Answered by this model; part of the name is enough"),
    tool: textFlag("tool", "Called this tool"),
    minCostUsd: z.coerce.number().min(0).optional().meta({ label: "amount", description: "Cost at least this" }),
    sort: z.enum(["recent", "started", "cost", "tokens", "messages", "duration"]).default("recent").meta({
      label: "order",
      description: "The order, largest first",
    }),
    limit: limitFlag(20),
    includeOffline: includeOfflineFlag,
    claudeHome: homeFlag,
  }),
  data: SessionList,
  examples: [
    "sessions",
    "sessions --since 7d --sort cost",
    "sessions --project skein --tool Bash --output-format json",
  ],
  async run({ since, until, claudeHome, includeOffline, ...wanted }, context) {
    const period = periodOf("sessions", { since, until });
    await using opened = await openTotals(claudeHome, context);
    const page = await opened.totals.sessions({ ...defined(wanted), ...period });
    return {
      sessions: page.sessions.map((session) => toIndexedSessionData(session, includeOffline)),
      count: page.totals.sessions,
      totals: toUsageData(page.totals, includeOffline),
      prices: { ...page.prices },
      includes_offline: includeOffline,
      ...toUnreadData(opened.refreshed),
    };
  },
  format: formatSessions,
});

function formatSessions(found: z.infer<typeof SessionList>, { terminal }: CommandContext): string {
  const { sessions: listed, count, totals, prices } = found;
  const { dim, yellow, cyan } = terminal.colors;
  if (count === 0) return `No matching sessions.\n${formatNotes(unreadNotes(found), terminal)}`;
  const nowMs = systemClock.now();
  const [total = "", ...costs] = costColumn([totals, ...listed.map(({ usage }) => usage)]);
  const rows = listed.map((session, index) => [
    yellow(session.session_id.slice(0, 8)),
    dim(session.ended_at === null ? "" : formatWhen(Date.parse(session.ended_at), nowMs, terminal)),
    costs[index] ?? "",
    tokensText(session.usage),
    cyan(plainLine(basename(session.project ?? ""))),
    plainLine(nameOf(session)),
  ]);
  const columns: readonly Column[] = [
    { name: "Session" },
    { name: "When", align: "right" },
    { name: "Cost", align: "right" },
    { name: "Tokens", align: "right" },
    { name: "Project", narrow: "drop" },
    { name: "Title", narrow: "cut" },
  ];
  const table = formatTable(
    { columns, rows, total: ["Total", "", total, tokensText(totals), "", formatNumberOf(count, "session")] },
    terminal,
  );
  const notes = [
    ...(count > listed.length
      ? [`${listed.length} of ${formatNumberOf(count, "session")} shown: --limit shows more`]
      : []),
    ...trustNotes(totals, prices),
    ...offlineNotes(totals, found.includes_offline),
    ...unreadNotes(found),
  ];
  return `${table}\n${formatNotes(notes, terminal)}`;
}

const ROLES = ["prompt", "answer", "thinking", "tool", "title"] as const;

const Hit = z.strictObject({
  session_id: z.string().describe("The session that the words were found in"),
  project: z.string().nullable().describe("The folder that the session was in; null where it is not known"),
  session_title: z.string().nullable().describe("The session's title; null where it has none"),
  role: z.enum(ROLES).describe("What text it is: of a prompt, an answer, a tool …"),
  at: z.string().nullable().describe("When it was written, ISO 8601; null where the record does not say"),
  uuid: z.string().nullable().describe("The record's id; null where it has none"),
  path: z.string().describe("The transcript's file"),
  offset: z.int().describe("Where the record is in the file, in bytes"),
  rank: z.number().describe("How well it fits: the higher the better"),
  snippet: z
    .string()
    .nullable()
    .describe("A part of the text around the words; null where the file is gone and no copy was kept"),
  ranges: z
    .array(z.tuple([z.int(), z.int()]))
    .describe("Where the words are in the snippet: the first character and the one after the last"),
});

const HitList = z.strictObject({
  words: z.string().describe("The words that were searched for"),
  hits: z.array(Hit).describe("What was found, the best first"),
  has_more: z.boolean().describe("Whether there is more than is listed"),
  is_partial: z.boolean().describe("Whether there were so many that only the newest were ranked"),
  missing: z
    .strictObject({
      files: z.int().describe("How many transcripts"),
      bytes: z.int().describe("How much of them, in bytes"),
    })
    .describe("What the index has not taken in yet, the oldest transcripts: `skein index` does"),
  ...UnreadData.shape,
});

/** So long the first search indexes at most: then it says what is missing. A gigabyte or two are indexed by then. */
const PATIENCE_MS = 20_000;

export const search = defineCommand({
  name: "search",
  summary: "Search the text of all sessions",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    words: argument('All of them must occur; "a phrase" and prefix* work too'),
    project: projectFlag,
    session: textFlag("id", "Only in this session"),
    role: z.enum(ROLES).optional().meta({ label: "role", description: "Only in this kind of text" }),
    since: textFlag("time", "Since this time: 2026-11-15, 3h, 7d"),
    until: textFlag("time", "Before this time"),
    limit: limitFlag(20),
    offset: z.coerce.number().int().min(0).default(0).meta({ label: "count", description: "How many to skip" }),
    claudeHome: homeFlag,
  }),
  positional: ["words"],
  data: HitList,
  examples: ['search "flaky test"', 'search "migrat*" --project shop --role prompt'],
  async run({ words, since, until, claudeHome, ...wanted }, context) {
    if (words.trim() === "") throw usageError("search", "There are no words to search for", { target: "words" });
    const period = periodOf("search", { since, until });
    await using opened = await openIndex(claudeHome, context, { patienceMs: PATIENCE_MS });
    const page = await opened.index.search(words, { ...defined(wanted), ...period });
    const hits = page.hits.map(({ timestampMs, snippet, ...hit }) =>
      asData(Hit, {
        ...hit,
        at: timestampMs === undefined ? undefined : isoTime(timestampMs),
        snippet: snippet?.text,
        ranges: snippet?.ranges ?? [],
      }),
    );
    const { hasMore, isPartial, missing } = page;
    return { words, hits, has_more: hasMore, is_partial: isPartial, missing, ...toUnreadData(opened.refreshed) };
  },
  format: formatHits,
});

function formatHits(found: z.infer<typeof HitList>, { terminal }: CommandContext): string {
  const { hits, has_more: hasMore } = found;
  const { dim, yellow, cyan } = terminal.colors;
  const unread = formatNotes([...missingNotes(found), ...unreadNotes(found)], terminal);
  if (hits.length === 0) return `Nothing was found.\n${unread}`;
  const nowMs = systemClock.now();
  const items = hits.map((hit) => {
    const when = hit.at === null ? "" : formatWhen(Date.parse(hit.at), nowMs, terminal);
    const head = [
      yellow(hit.session_id.slice(0, 8)),
      cyan(plainLine(basename(hit.project ?? ""))),
      hit.role,
      dim(when),
    ];
    return `  ${head.filter((part) => part !== "").join("  ")}\n${wrapText(
      markWords(hit, terminal),
      terminal.columns - 4,
    )
      .map((line) => `    ${line}\n`)
      .join("")}`;
  });
  const more = hasMore ? formatNotes(["There are more: --limit or --offset shows them"], terminal) : "";
  return `${items.join("\n")}${more + unread === "" ? "" : `\n${more}${unread}`}`;
}

function missingNotes({ missing: { files, bytes } }: z.infer<typeof HitList>): readonly string[] {
  if (files === 0) return [];
  const what = `${formatBytes(bytes)} of ${formatNumberOf(files, "transcript")}`;
  return [`Not searched yet: ${what}, the oldest; skein index takes them in`];
}

/** The snippet in one line, with the words in colour. */
function markWords({ snippet, ranges, role }: z.infer<typeof Hit>, { colors }: CommandContext["terminal"]): string {
  if (snippet === null) return colors.dim("(the file is gone)");
  const shown = (text: string): string => inLine(role === "tool" ? withoutJson(text) : text);
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    parts.push(shown(snippet.slice(at, start)), colors.bold(colors.red(inLine(snippet.slice(start, end)))));
    at = end;
  }
  return [...parts, shown(snippet.slice(at))].join("").trim();
}

/** What a tool was given is JSON, of which a snippet is a piece: `{"command":"npm test"}` is read as `command: npm test`. */
function withoutJson(text: string): string {
  return text
    .replaceAll(/(?:"?,|\{)?\s*"([\w-]+)":\s*"?/gu, " $1: ")
    .replaceAll(/"\s*[}\]]+|[{}]+/gu, " ")
    .replaceAll(/",?\s*$/gu, " ");
}

/** A piece of a line: the spaces at its ends are the line's. */
function inLine(text: string): string {
  return plainText(text).replaceAll(/\s+/gu, " ");
}

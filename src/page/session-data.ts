import { z } from "zod";
import { isoTime, microUsd, scenarioOfMessage, sumMicroUsd, toUsd } from "../core/internal.ts";
import { asData, type Recorded } from "../protocol/index.ts";
import type { IndexedSession, RefreshReport, TranscriptMessage, UsageTotals } from "../transcript/internal.ts";
import { formatCount, formatNumberOf, formatUsd, formatUsdColumn } from "../terminal/index.ts";

export const UsageData = z.strictObject({
  input_tokens: z.int().describe("Tokens that were read and not from the cache"),
  output_tokens: z.int().describe("Tokens that were written, thinking too"),
  cache_read_tokens: z.int().describe("Tokens that were read from the cache"),
  cache_write_5m_tokens: z.int().describe("Tokens that were written into the cache for five minutes"),
  cache_write_1h_tokens: z.int().describe("Tokens that were written into the cache for an hour"),
  cost_usd: z
    .number()
    .describe("Money by the price list, in US dollars; of the offline model nothing is in it, unless it was asked for"),
  offline_cost_usd: z.number().describe("What the responses of the offline model would have cost by the price list"),
  responses: z.int().describe("Responses of the model, each counted once"),
  lower_bounds: z
    .int()
    .describe("Responses whose counts were never final; where there are any, the numbers are lower bounds"),
  unpriced: z.int().describe("Responses of models without a known price; where there are any, the money is too low"),
});
export type UsageData = z.infer<typeof UsageData>;

export const PricesData = z.strictObject({
  date: z.string().describe("The day of the price list"),
  source: z.string().describe("Where the prices are from"),
});

export function toUsageData(totals: UsageTotals, includeOffline = false): UsageData {
  return asData(UsageData, countedUsage(totals, includeOffline));
}

/** Totals with the tokens beside the money, as the envelope has them. */
export function countedUsage({ usage, messages, ...rest }: UsageTotals, includeOffline = false): Recorded<UsageData> {
  const costUsd = toUsd(sumMicroUsd([rest.costUsd, includeOffline ? rest.offlineCostUsd : 0].map(microUsd)));
  return { ...usage, ...rest, costUsd, responses: messages };
}

/** Money that may be more: `≥` says so. Where nothing but the offline model answered, nothing was paid. */
export function costText(usage: UsageData): string {
  const { cost_usd: cost, offline_cost_usd: offline, lower_bounds: bounds, unpriced } = usage;
  if (cost === 0 && offline > 0) return "offline";
  return `${bounds > 0 || unpriced > 0 ? "≥" : ""}${formatUsd(cost)}`;
}

/** The same for a column of them, with the same number of digits. */
export function costColumn(usages: readonly UsageData[]): readonly string[] {
  const paid = formatUsdColumn(usages.map(({ cost_usd: cost }) => cost));
  return usages.map((usage, index) => costText(usage).replace(/\$.*$/u, () => paid[index] ?? ""));
}

/** All tokens, in as few characters as tell how many: `812`, `53.5k`, `1.2M`. */
export function tokensText(usage: UsageData): string {
  const { input_tokens: read, output_tokens: written, cache_read_tokens: cached } = usage;
  const all = read + written + cached + usage.cache_write_5m_tokens + usage.cache_write_1h_tokens;
  if (all < 1000) return String(all);
  if (all < 999_950) return `${(all / 1000).toFixed(1)}k`;
  return all < 999_950_000 ? `${(all / 1_000_000).toFixed(1)}M` : `${formatCount(Math.round(all / 1_000_000))}M`;
}

/** What has to be known of numbers beside the numbers, a line each. */
export function trustNotes(usage: UsageData, prices: z.infer<typeof PricesData>): readonly string[] {
  return [
    `Prices of ${prices.date}, from ${prices.source}`,
    ...(usage.lower_bounds > 0
      ? [`≥: Claude Code recorded no final counts for ${formatNumberOf(usage.lower_bounds, "response")}`]
      : []),
    ...(usage.unpriced > 0 ? [`≥: the model of ${formatNumberOf(usage.unpriced, "response")} has no known price`] : []),
  ];
}

export const SkippedData = z.strictObject({
  path: z.string().describe("The file that could not be read"),
  code: z.string().describe("The system's error code, such as `EACCES`"),
  message: z.string().describe("What went wrong"),
});

/** That a sum leaves the offline model out, or counts it. */
export function offlineNotes({ offline_cost_usd: offline }: UsageData, isCounted: boolean): readonly string[] {
  if (offline === 0) return [];
  return [
    isCounted
      ? "The offline model is counted by the price list; nobody paid for it"
      : "The offline model is left out of the money: nobody paid for it; --include-offline counts it by the price list",
  ];
}

/** What could not be read, and is therefore in no sum and not found by any search. */
export const UnreadData = z.strictObject({
  skipped: z
    .array(SkippedData)
    .describe("Files and folders that could not be read, so that nothing of them is counted"),
  broken_lines: z.int().describe("Lines of all files, or parts of lines, that are no records"),
});
export type UnreadData = z.infer<typeof UnreadData>;

export function toUnreadData({ skipped, brokenLinesKnown }: RefreshReport): UnreadData {
  return asData(UnreadData, { skipped, brokenLines: brokenLinesKnown });
}

/** What could not be read, a line each; nothing where everything was. */
export function unreadNotes({ skipped, broken_lines: lines }: UnreadData): readonly string[] {
  return [
    ...(skipped.length > 0 ? [`${formatNumberOf(skipped.length, "file")} could not be read`] : []),
    ...(lines > 0 ? [`${formatNumberOf(lines, "broken line")} could not be read`] : []),
  ];
}

export const IndexedSessionData = z.strictObject({
  session_id: z.string().describe("The session's id"),
  session_ids: z
    .array(z.string())
    .describe("All ids that belong to it: what was forked or resumed into other files is one session with them"),
  project: z.string().nullable().describe("The folder that it was in; null where it is not known"),
  title: z.string().nullable().describe("Its title; null where it has none"),
  first_prompt: z.string().nullable().describe("What it was first asked; null where nothing was"),
  started_at: z.string().nullable().describe("When its first record was written, ISO 8601; null where no record says"),
  ended_at: z.string().nullable().describe("When its last record was written, ISO 8601; null where no record says"),
  prompts: z.int().describe("How many prompts it was given"),
  messages: z.int().describe("How many messages it has, of both sides"),
  subagents: z.int().describe("How many sub-agents it had"),
  tools: z
    .array(
      z.strictObject({
        tool: z.string().describe("The tool's name"),
        calls: z.int().describe("How often it was called"),
        errors: z.int().describe("How often it failed"),
      }),
    )
    .describe("The tools that were called"),
  models: z.array(z.string()).describe("The models that answered"),
  cli_versions: z.array(z.string()).describe("The versions of Claude Code that wrote it"),
  files: z
    .array(
      z.strictObject({
        path: z.string().describe("The transcript's file"),
        is_subagent: z.boolean().describe("Whether it is a sub-agent's"),
        is_purged: z.boolean().describe("Whether the file is gone and only what was indexed is left"),
      }),
    )
    .describe("The transcripts that it is made of"),
  size_bytes: z.int().describe("The size of all its files"),
  is_purged: z.boolean().describe("Whether all its files are gone and only what was indexed is left"),
  usage: UsageData.describe("What its responses used"),
});
export type IndexedSessionData = z.infer<typeof IndexedSessionData>;

export function toIndexedSessionData(session: IndexedSession, includeOffline = false): IndexedSessionData {
  return asData(IndexedSessionData, {
    ...session,
    sessionId: session.id,
    startedAt: timeOf(session.startedAtMs),
    endedAt: timeOf(session.endedAtMs),
    cliVersions: session.versions,
    usage: countedUsage(session.usage, includeOffline),
  });
}

export function nameOf({ title, first_prompt: prompt }: Pick<IndexedSessionData, "title" | "first_prompt">): string {
  return title ?? prompt ?? "";
}

function timeOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : isoTime(atMs);
}

export const MessageData = z.strictObject({
  role: z.enum(["user", "assistant"]).describe("Who wrote the message"),
  kind: z
    .string()
    .describe(
      "Why it is there: `prompt`, `answer`, `tool-result`, `meta`, `command-output`, `interrupt`, `compact-summary`",
    ),
  uuid: z.string().nullable().describe("The record's id; null where it has none"),
  at: z.string().nullable().describe("When it was written, ISO 8601; null where the record does not say"),
  model: z.string().nullable().describe("The model that wrote it; null of a message of the user's"),
  scenario: z
    .string()
    .nullable()
    .describe("The scenario that was played, where the offline model said it; null otherwise"),
  text: z.string().describe("Its text"),
  thinking: z.string().describe("The model's thinking before it; empty where there is none"),
  tools: z
    .array(
      z.strictObject({
        tool: z.string().describe("The tool's name"),
        input: z.unknown().describe("What the tool was given"),
        result: z.string().nullable().describe("What it gave; null where it never did"),
        is_error: z.boolean().describe("Whether it failed"),
        duration_ms: z
          .number()
          .nullable()
          .describe("How long the call took, in milliseconds; null where it is not known"),
      }),
    )
    .describe("The tool calls in it"),
  images: z.int().describe("How many images are in it"),
});
export type MessageData = z.infer<typeof MessageData>;

/** Puts messages into the words of the envelope; results of tools stand with the calls that they answer. */
export function toMessageData(messages: readonly TranscriptMessage[]): MessageData[] {
  return messages
    .filter(({ kind, images }) => kind !== "tool-result" || images.length > 0)
    .map((message) =>
      asData(MessageData, {
        ...message,
        at: message.timestamp,
        scenario: scenarioOfMessage(message.messageId ?? ""),
        tools: message.toolUses.map(({ name, result, ...use }) => ({
          ...use,
          tool: name,
          result: result?.text,
          isError: result?.isError ?? false,
        })),
        images: message.images.length,
      }),
    );
}

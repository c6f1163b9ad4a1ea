import { z } from "zod";
import { isoTime, microUsd, scenarioOfMessage, sumMicroUsd, toUsd } from "../core/internal.ts";
import { asData, type Recorded } from "../protocol/index.ts";
import type { IndexedSession, RefreshReport, TranscriptMessage, UsageTotals } from "../transcript/internal.ts";
import { formatCount, formatNumberOf, formatUsd, formatUsdColumn } from "../terminal/index.ts";

export const UsageData = z.strictObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_5m_tokens: z.int(),
  cache_write_1h_tokens: z.int(),
  /** Of the offline model nothing is in it, unless it was asked for. */
  cost_usd: z.number(),
  /** What the responses of the offline model would have cost by the price list. */
  offline_cost_usd: z.number(),
  /** Responses of the model, each counted once. */
  responses: z.int(),
  /** Of these: responses whose counts were never final. Where there are any, the numbers are lower bounds. */
  lower_bounds: z.int(),
  /** Of these: responses of models without a known price. Where there are any, the money is too low. */
  unpriced: z.int(),
});
export type UsageData = z.infer<typeof UsageData>;

export const PricesData = z.strictObject({ date: z.string(), source: z.string() });

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

export const SkippedData = z.strictObject({ path: z.string(), code: z.string(), message: z.string() });

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
  skipped: z.array(SkippedData),
  /** Lines of all files, or parts of lines, that are no records. */
  broken_lines: z.int(),
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

export function formatNotes(notes: readonly string[], dim: (text: string) => string): string {
  return notes.map((note) => `  ${dim(note)}\n`).join("");
}

export const IndexedSessionData = z.strictObject({
  session_id: z.string(),
  /** All ids that belong to it: what was forked or resumed into other files is one session with them. */
  session_ids: z.array(z.string()),
  project: z.string().nullable(),
  title: z.string().nullable(),
  first_prompt: z.string().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  prompts: z.int(),
  messages: z.int(),
  subagents: z.int(),
  tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int() })),
  models: z.array(z.string()),
  cli_versions: z.array(z.string()),
  files: z.array(z.strictObject({ path: z.string(), is_subagent: z.boolean(), is_purged: z.boolean() })),
  size_bytes: z.int(),
  is_purged: z.boolean(),
  usage: UsageData,
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
  role: z.enum(["user", "assistant"]),
  /** Why it is there: `prompt`, `answer`, `tool-result`, `meta`, `command-output`, `interrupt`, `compact-summary`. */
  kind: z.string(),
  uuid: z.string().nullable(),
  at: z.string().nullable(),
  model: z.string().nullable(),
  /** The scenario that was played, where the offline model said it. */
  scenario: z.string().nullable(),
  text: z.string(),
  thinking: z.string(),
  tools: z.array(
    z.strictObject({
      tool: z.string(),
      input: z.unknown(),
      /** What it gave; null where it never did. */
      result: z.string().nullable(),
      is_error: z.boolean(),
      duration_ms: z.number().nullable(),
    }),
  ),
  images: z.int(),
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

import { z } from "zod";
import { isoTime } from "../../core/internal.ts";
import { asData } from "../../protocol/index.ts";
import { readAgents } from "../metrics/read-agents.ts";
import { MetricsData, SkippedData, toMetricsData, UsageData } from "../metrics/metrics-data.ts";
import { readMetrics, readMetricsSeries, type MetricsQuery } from "../metrics/read-metrics.ts";
import { sumHours } from "../metrics/sum-hours.ts";
import { BUCKETS } from "../metrics/spans.ts";
import { listProcesses } from "./general-routes.ts";
import { route } from "./route.ts";

const moment = z.iso.datetime({ offset: true });

const spanQuery = {
  to: moment.optional().describe("Only turns recorded before this moment, ISO 8601 (default: now)"),
  workspace: z.string().optional().describe("Only turns of the workspace with this path"),
  model: z.string().optional().describe("Only turns that this model answered, as the API names it"),
  include_offline: z
    .stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] })
    .default(false)
    .describe("Count in the money what turns of the offline model would have cost"),
};

const summaryQuery = z.strictObject({
  from: moment
    .optional()
    .describe("Only turns recorded at this moment or later, ISO 8601 (default: since the first turn)"),
  ...spanQuery,
  by: z.enum(["workspace", "model"]).optional().describe("Tell the figures of each of them, too"),
});

const timeZoneQuery = z
  .string()
  .refine(isTimeZone, "it is not the name of a time zone")
  .optional()
  .describe("The time zone in which hours and days begin, such as Europe/Berlin (default: the server's)");

const seriesQuery = z.strictObject({
  from: moment
    .optional()
    .describe("Only turns recorded at this moment or later, ISO 8601 (default: 24 hours or 30 days before the end)"),
  ...spanQuery,
  bucket: z.enum(BUCKETS).default("hour").describe("How long one part of the series is"),
  time_zone: timeZoneQuery,
});

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function toQuery({
  from,
  to,
  workspace,
  model,
  include_offline: includeOffline,
}: Omit<z.infer<typeof summaryQuery>, "by">): MetricsQuery {
  const atMs = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
  return { from: atMs(from), to: atMs(to), workspace, model, includeOffline };
}

const span = {
  from: z.string().describe("The beginning of the time, ISO 8601"),
  to: z.string().describe("The end of the time, ISO 8601"),
};

export const metrics = route({
  path: "/api/metrics",
  operation: "getMetrics",
  summary: "Figures of the turns of a span of time: their times, tokens, cost, errors, tools, branches and rewards",
  query: summaryQuery,
  data: z.strictObject({
    ...span,
    total: MetricsData.describe("The figures of all of these turns"),
    groups: z
      .array(
        z.strictObject({
          key: z.string().describe("The workspace's path, or the model's name"),
          metrics: MetricsData.describe("Its figures"),
        }),
      )
      .describe("The figures of each workspace or model, the one with the most turns first; empty unless asked for"),
    now: z
      .strictObject({
        running: z.int().describe("Runs that go on"),
        processes: z.int().describe("Skein's processes, without the server"),
        memory_bytes: z.int().describe("The memory that those hold together, without that of their children"),
        server_memory_bytes: z.int().describe("The memory that the server holds"),
      })
      .describe("What goes on at this moment, whatever the time that was asked for"),
    skipped: SkippedData,
  }),
  async answer({ by, ...given }, context) {
    const { fromMs, toMs, total, groups, skipped } = await readMetrics(context, { ...toQuery(given), by });
    const processes = (await listProcesses(context)).filter(({ state }) => state !== "dead");
    return {
      from: isoTime(fromMs),
      to: isoTime(toMs),
      total: toMetricsData(total),
      groups: groups.map(({ key, metrics: figures }) => ({ key, metrics: toMetricsData(figures) })),
      now: {
        running: processes.reduce((sum, { runs }) => sum + runs.length, 0),
        processes: processes.length,
        memory_bytes: processes.reduce((sum, { memory_bytes: bytes }) => sum + (bytes ?? 0), 0),
        server_memory_bytes: process.memoryUsage.rss(),
      },
      skipped: skipped.map((store) => ({ ...store })),
    };
  },
});

const DAY_MS = 86_400_000;

/** What is looked back at unless it is said, and at most, for a map of hours. */
const HEATMAP_DAYS = { usual: 28, most: 41 };

export const heatmap = route({
  path: "/api/metrics/heatmap",
  operation: "getHeatmap",
  summary: "Turns and cost by the hour of the week",
  query: z.strictObject({
    from: moment
      .optional()
      .describe(
        `Only turns recorded at this moment or later, ISO 8601; ${HEATMAP_DAYS.most} days at most (default: ${HEATMAP_DAYS.usual} days before the end)`,
      ),
    ...spanQuery,
    time_zone: timeZoneQuery,
  }),
  data: z.strictObject({
    ...span,
    hours: z
      .array(
        z.strictObject({
          weekday: z.int().describe("The day of the week: 1 is Monday"),
          hour: z.int().describe("The hour of the day, from 0"),
          turns: z.int().describe("How many turns were recorded in it"),
          failed: z.int().describe("How many of them failed"),
          cost_usd: z.number().describe("What they cost, in US dollars"),
        }),
      )
      .describe("All 168 hours of a week, Monday's first"),
    skipped: SkippedData,
  }),
  async answer({ time_zone: timeZone, ...given }, context) {
    const { to = context.clock.now() + 1, ...query } = toQuery(given);
    const { from = to - HEATMAP_DAYS.usual * DAY_MS } = query;
    const { buckets, skipped } = await readMetricsSeries(context, { ...query, from, to, bucket: "hour", timeZone });
    return {
      from: isoTime(from),
      to: isoTime(to),
      hours: sumHours(buckets, timeZone),
      skipped: skipped.map((store) => ({ ...store })),
    };
  },
});

const AgentBucket = z.strictObject({
  ...span,
  agents: z
    .array(
      z.strictObject({
        agent: z
          .string()
          .describe(
            "`main`, in a team `manager` or `worker`: the conversation of the turn; `Agent(type)`: its sub-agents of a type, `Agent` those whose type is not known",
          ),
        turns: z.int().describe("The turns in which it did something"),
        usage: UsageData,
        cost_usd: z
          .number()
          .describe(
            "Its part of what the turns cost; turns of the offline model are in it only where that was asked for",
          ),
        offline_cost_usd: z.number().describe("Its part of what turns of the offline model would have cost"),
      }),
    )
    .describe("The agents, the one that cost most first: their parts together are what the turns came to"),
});

export const agentMetrics = route({
  path: "/api/metrics/agents",
  operation: "getAgentMetrics",
  summary: "What turns cost by agent, for each hour or day: the main conversation, roles of a team, sub-agents by type",
  query: seriesQuery,
  data: z.strictObject({
    buckets: z.array(AgentBucket).describe("The hours or days in order, those without a turn too; 1,000 at most"),
    skipped: SkippedData,
  }),
  async answer({ bucket, time_zone: timeZone, ...given }, context) {
    const { buckets, skipped } = await readAgents(context, { ...toQuery(given), bucket, timeZone });
    return {
      buckets: buckets.map(({ fromMs, toMs, agents }) =>
        asData(AgentBucket, { from: isoTime(fromMs), to: isoTime(toMs), agents }),
      ),
      skipped: skipped.map((store) => ({ ...store })),
    };
  },
});

const Bucket = z.strictObject({ ...span, metrics: MetricsData.describe("The figures of the turns in it") });

export const metricsSeries = route({
  path: "/api/metrics/series",
  operation: "getMetricsSeries",
  summary: "The same figures for each hour or day of a span of time",
  query: seriesQuery,
  data: z.strictObject({
    buckets: z.array(Bucket).describe("The hours or days in order, those without a turn too; 1,000 at most"),
    skipped: SkippedData,
  }),
  async answer({ bucket, time_zone: timeZone, ...given }, context) {
    const { buckets, skipped } = await readMetricsSeries(context, { ...toQuery(given), bucket, timeZone });
    return {
      buckets: buckets.map(({ fromMs, toMs, metrics: figures }) =>
        asData(Bucket, { from: isoTime(fromMs), to: isoTime(toMs), metrics: figures }),
      ),
      skipped: skipped.map((store) => ({ ...store })),
    };
  },
});

import { z } from "zod";
import { asData } from "../../protocol/index.ts";
import type { Metrics } from "./metrics.ts";

const share = z.number().nullable();

export const UsageData = z
  .strictObject({
    input_tokens: z.int().describe("Tokens that were read and not from the cache"),
    output_tokens: z.int().describe("Tokens that were written, thinking too"),
    cache_read_tokens: z.int().describe("Tokens that were read from the cache"),
    cache_write_tokens: z.int().describe("Tokens that were written into the cache"),
  })
  .describe("Tokens by kind");

/** What turns came to, as it crosses a process. */
export const MetricsData = z.strictObject({
  turns: z.int().describe("Turns that ended, however they did"),
  completed: z.int().describe("Turns that came to a good end"),
  failed: z.int().describe("Turns that ended with an error"),
  cancelled: z.int().describe("Turns that somebody cancelled"),
  interrupted: z.int().describe("Turns that were cut off, as their process was killed"),
  error_rate: share.describe("The share of turns that failed or were interrupted; null where there are none"),
  errors: z
    .array(
      z.strictObject({
        kind: z.string().describe("The error's kind; `failed` or `interrupted` where the record has none"),
        turns: z.int().describe("How many turns ended with it"),
        rate: z.number().describe("The share of all turns"),
      }),
    )
    .describe("Those turns by the kind of their error, the most frequent first"),
  turn_time: z
    .strictObject({
      p50_ms: z.number().describe("Half of the turns took so many milliseconds at most"),
      p95_ms: z.number().describe("95 of 100 turns took so long at most"),
      p99_ms: z.number().describe("99 of 100 turns took so long at most"),
      mean_ms: z.number().describe("The mean"),
      longest_ms: z.number().describe("How long the longest took"),
    })
    .nullable()
    .describe("How long turns took, in milliseconds; null where there are none"),
  turns_per_hour: share.describe("Turns for each hour of the time asked for"),
  usage: UsageData,
  cache_hit_share: share.describe("The share of the tokens read that came from the cache; null where none were read"),
  cost_usd: z
    .number()
    .describe("What was paid, in US dollars; turns of the offline model are in it only where that was asked for"),
  offline_cost_usd: z.number().describe("What the turns of the offline model would have cost by the price list"),
  tool_calls: z.int().describe("Calls of tools"),
  tool_errors: z.int().describe("Calls that failed or were denied"),
  tools: z
    .array(
      z.strictObject({
        tool: z.string().describe("The tool's name"),
        calls: z.int().describe("How often it was called"),
        errors: z.int().describe("How often that failed or was denied"),
        error_rate: z.number().describe("The share of its calls that failed or were denied"),
      }),
    )
    .describe("The tools, the one called most first"),
  branch_points: z.int().describe("States from which more than one of the turns began"),
  branches: z.int().describe("The turns that began from those"),
  rewards: z
    .array(
      z.strictObject({
        name: z.string().describe("The reward's name"),
        count: z.int().describe("How many states have it"),
        mean: z.number().describe("The mean"),
        lowest: z.number().describe("The lowest"),
        p25: z.number().describe("A quarter of them are not above this"),
        p50: z.number().describe("Half of them are not above this"),
        p75: z.number().describe("Three quarters of them are not above this"),
        best: z
          .strictObject({
            value: z.number().describe("The reward"),
            state_id: z.string().describe("The state that has it"),
            workspace: z.string().describe("The path of the workspace that the state is in"),
          })
          .describe("The highest"),
      }),
    )
    .describe("How the rewards that states were given are distributed, by name"),
});

export type MetricsData = z.infer<typeof MetricsData>;

export function toMetricsData(metrics: Metrics): MetricsData {
  return asData(MetricsData, metrics);
}

/** Workspaces whose record cannot be read: what was done in them is in no figure. */
export const SkippedData = z
  .array(
    z.strictObject({
      workspace: z.string().describe("The workspace's path"),
      kind: z.string().describe("The kind of the error"),
      message: z.string().describe("Why its record cannot be read"),
    }),
  )
  .describe("Workspaces whose record cannot be read: what was done in them is in no figure");

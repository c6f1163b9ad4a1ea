import { z } from "zod";
import { findPrices, NO_USAGE, type TurnResult, type Usage } from "../../core/index.ts";
import type { Limits } from "./limits.ts";

/** Counts the tokens of an evaluation while it runs, and exactly when it is over. */
export interface UsageCounter {
  /** Takes a message of the SDK. */
  read(raw: unknown): void;
  /** What a turn came to, sub-agents and the CLI's own small requests included, in the place of what was counted of it. */
  settle(result: TurnResult): void;
}

const count = z.number().nullish();
const usageSchema = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});
const message = z.looseObject({ id: z.string(), model: z.string().optional(), usage: usageSchema });
const parent = z.string().nullish();
const rawSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("assistant"), parent_tool_use_id: parent, message }),
  z.looseObject({
    type: z.literal("stream_event"),
    parent_tool_use_id: parent,
    event: z.looseObject({ type: z.string(), message: message.optional(), usage: usageSchema.optional() }),
  }),
]);

/** A counter for one evaluation. The ids of messages are made its own, so that evaluations cannot count for each other. */
export function createUsageCounter(limits: Limits, evaluationId: string): UsageCounter {
  const counted = new Map<string, Usage>();
  const models = new Map<string, string>();
  const current = new Map<string, string>();
  let turns = 0;
  const record = (id: string, usage: Usage): void => {
    const before = counted.get(id) ?? NO_USAGE;
    // A whole message repeats the counts that it began with: the larger is the later.
    const after = { ...usage, outputTokens: Math.max(before.outputTokens, usage.outputTokens) };
    counted.set(id, after);
    limits.record(`${evaluationId}:${id}`, after, estimateUsd(after, models.get(id)));
  };
  const begin = ({ id, model, usage }: z.infer<typeof message>): void => {
    if (model !== undefined) models.set(id, model);
    record(id, toUsage(usage));
  };
  return {
    read(raw) {
      const parsed = rawSchema.safeParse(raw);
      if (!parsed.success) return;
      const { data } = parsed;
      if (data.type === "assistant") return begin(data.message);
      const speaker = data.parent_tool_use_id ?? "";
      const begun = data.event.message;
      if (begun) current.set(speaker, begun.id);
      const id = current.get(speaker);
      if (begun) begin(begun);
      else if (id !== undefined && data.event.usage) {
        record(id, { ...(counted.get(id) ?? NO_USAGE), outputTokens: data.event.usage.output_tokens ?? 0 });
      }
    },
    settle({ usage, costUsd }) {
      for (const id of counted.keys()) limits.record(`${evaluationId}:${id}`, NO_USAGE);
      counted.clear();
      turns += 1;
      limits.record(`${evaluationId}/${turns}`, usage, costUsd);
    },
  };
}

/** What tokens cost by the list, until the CLI says it; nothing for a model that is not listed. */
function estimateUsd(usage: Usage, model = ""): number {
  const prices = findPrices(model);
  if (!prices) return 0;
  const millionths =
    usage.inputTokens * prices.input +
    usage.outputTokens * prices.output +
    usage.cacheReadTokens * prices.cacheRead +
    usage.cacheWriteTokens * prices.cacheWrite5m;
  return millionths / 1e6;
}

function toUsage(usage: z.infer<typeof usageSchema>): Usage {
  return {
    inputTokens: usage.input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
  };
}

/** Tokens of one or more model responses. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Tokens and money that one model cost. */
export interface ModelUsage extends Usage {
  readonly costUsd: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Reads the counts of the Messages API; what is missing or no number is 0. */
export function parseApiUsage(counts: Readonly<Record<string, unknown>> | null | undefined): Usage {
  const count = (field: string): number => (typeof counts?.[field] === "number" ? counts[field] : 0);
  return {
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
    cacheReadTokens: count("cache_read_input_tokens"),
    cacheWriteTokens: count("cache_creation_input_tokens"),
  };
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
  };
}

/** Every token that was processed: read, written, and both by way of the cache. */
export function tokensOf(usage: Usage): number {
  return inputTokensOf(usage) + usage.outputTokens;
}

/** Every token that the model was given to read, from the cache or not: `inputTokens` alone leaves the cached ones out. */
export function inputTokensOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

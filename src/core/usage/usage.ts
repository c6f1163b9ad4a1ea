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

/** No tokens at all. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The sum of two counts. */
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

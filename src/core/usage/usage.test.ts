import { describe, expect, it } from "vitest";
import { addUsage, inputTokensOf, NO_USAGE, tokensOf } from "./usage.ts";

describe("addUsage", () => {
  it("adds each count by itself", () => {
    const left = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const right = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 40 };
    expect(addUsage(left, right)).toEqual({
      inputTokens: 11,
      outputTokens: 22,
      cacheReadTokens: 33,
      cacheWriteTokens: 44,
    });
    expect(addUsage(left, NO_USAGE)).toEqual(left);
  });
});

describe("tokensOf", () => {
  it("counts what was read from the cache and into it", () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 30, cacheWriteTokens: 400 };
    expect([inputTokensOf(usage), tokensOf(usage)]).toEqual([431, 433]);
  });
});

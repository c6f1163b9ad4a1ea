import { describe, expect, it } from "vitest";
import { findPrices, PRICE_TABLE } from "./price-table.ts";

describe("findPrices", () => {
  it("knows a model by its dated, its cloud and its marked names", () => {
    const sonnet = PRICE_TABLE.models["claude-sonnet-4-0"];
    const names = [
      "claude-sonnet-4-20250514",
      "us.anthropic.claude-sonnet-4-20250514-v1:0",
      "claude-sonnet-4@20250514",
    ];
    expect(names.map((name) => findPrices(name))).toEqual([sonnet, sonnet, sonnet]);
    expect(findPrices("claude-opus-5-5[1m]")).toBe(PRICE_TABLE.models["claude-opus-5-5"]);
    expect(findPrices("claude-3-5-haiku-latest")).toBe(PRICE_TABLE.models["claude-3-5-haiku"]);
    expect(findPrices("claude-sonnet-4-6")).toBe(PRICE_TABLE.models["claude-sonnet-4-6"]);
  });

  it("knows no price of a model that is not listed", () => {
    const names = ["qwen3-coder:30b", "<synthetic>", "claude-sonnet-9", "constructor", ""];
    expect(names.map((name) => findPrices(name))).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it("says whose prices they are and of which day", () => {
    expect(PRICE_TABLE.date).toMatch(/^\d{4}-\d{2}-\d{2}$/u);
    expect(PRICE_TABLE.source).toBe("Claude Code 2.1.325");
    expect(findPrices("claude-haiku-4-5-20251001")).toEqual({
      input: 1,
      output: 5,
      cacheWrite5m: 1.25,
      cacheWrite1h: 2,
      cacheRead: 0.1,
    });
  });
});

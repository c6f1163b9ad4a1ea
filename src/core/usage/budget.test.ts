import { describe, expect, it } from "vitest";
import { Budget } from "./budget.ts";
import { SkeinError } from "../errors.ts";

function failure(make: () => unknown): SkeinError {
  try {
    make();
  } catch (error) {
    if (error instanceof SkeinError) return error;
  }
  throw new Error("Nothing was thrown");
}

describe("a budget", () => {
  it("is its limits, and cannot be changed", () => {
    const limits = { maxTokens: 1000, perTurn: { maxTokens: 10 }, maxCostUsd: 0.5, deadline: Date.UTC(2027, 0, 1) };
    expect(Budget(limits)).toEqual(limits);
    expect(Object.isFrozen(Budget(limits))).toBe(true);
  });

  it("needs at least one limit", () => {
    expect(failure(() => Budget({}))).toMatchObject({ kind: "usage", target: "budget" });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "9", null, {}])("refuses the limit %o", (value) => {
    const make = (): unknown => Budget({ maxInputTokens: value as number });
    expect(failure(make)).toMatchObject({ kind: "usage", target: "maxInputTokens" });
  });

  it("refuses a limit that it does not know, rather than pass over it", () => {
    const limits = { maxTotalTokens: 5, maxCostUsd: 1 };
    expect(failure(() => Budget(limits))).toMatchObject({ kind: "usage", target: "maxTotalTokens" });
    const within = { maxCostUsd: 1, perTurn: { costUsd: 1 } };
    expect(failure(() => Budget(within as Budget))).toMatchObject({ kind: "usage", target: "perTurn.costUsd" });
  });
});

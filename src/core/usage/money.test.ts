import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { microUsd, sumMicroUsd, toUsd } from "./money.ts";

describe("money", () => {
  it("adds up exactly where dollars would not", () => {
    expect(0.1 + 0.2).not.toBe(0.3);
    expect(toUsd(sumMicroUsd([microUsd(0.1), microUsd(0.2)]))).toBe(0.3);
    expect(toUsd(sumMicroUsd([]))).toBe(0);
  });

  it("rounds to the nearest millionth of a dollar", () => {
    expect([0.000_000_4, 0.000_000_6, 1.234_567_8].map(microUsd)).toEqual([0, 1, 1_234_568]);
  });

  it("gives back any amount of whole millionths", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (amount) => {
        expect(microUsd(amount / 1_000_000)).toBe(amount);
      }),
    );
  });

  it("does not depend on the order of the amounts", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1_000, noNaN: true })), (dollars) => {
        const amounts = dollars.map(microUsd);
        expect(sumMicroUsd(amounts.toReversed())).toBe(sumMicroUsd(amounts));
      }),
    );
  });
});

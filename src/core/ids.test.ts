import { describe, expect, it } from "vitest";
import type { Clock } from "./clock.ts";
import { createId } from "./ids.ts";

const clockAt = (epochMs: number): Clock => ({ now: () => epochMs, sleep: () => Promise.resolve() });

describe("createId", () => {
  it("is a UUID of version 7 made of the time and the random bytes", () => {
    expect(createId(clockAt(0x0123456789ab), (size) => Buffer.alloc(size, 0xff))).toBe(
      "01234567-89ab-7fff-bfff-ffffffffffff",
    );
    expect(createId(clockAt(0), (size) => Buffer.alloc(size))).toBe("00000000-0000-7000-8000-000000000000");
  });

  it("sorts by the time at which it was made", () => {
    const ids = [1, 999, 1_000, 1_800_000_000_000].map((epochMs) => createId(clockAt(epochMs)));
    expect(ids.toSorted()).toEqual(ids);
  });

  it("does not repeat itself", () => {
    const clock = clockAt(1);
    expect(new Set(Array.from({ length: 1_000 }, () => createId(clock))).size).toBe(1_000);
  });
});

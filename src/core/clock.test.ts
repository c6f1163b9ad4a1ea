import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { isoTime, systemClock } from "./clock.ts";

describe("systemClock", () => {
  it("tells the machine's time", () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it("wakes after the time has passed and leaves nothing on the signal", async () => {
    const { signal } = new AbortController();
    await systemClock.sleep(1, signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("wakes at once with the reason when the signal is aborted", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const sleep = systemClock.sleep(1_000_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  });

  it("does not fall asleep under a signal that is already aborted", async () => {
    const reason = new Error("before");
    await expect(systemClock.sleep(1_000_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("isoTime", () => {
  it("writes a moment in UTC", () => {
    expect(isoTime(1_794_722_400_000)).toBe("2026-11-15T06:00:00.000Z");
  });
});

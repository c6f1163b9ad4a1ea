import { describe, expect, it } from "vitest";
import { createCallLock } from "./call-lock.ts";

const never = new AbortController().signal;

/** Whether a promise is settled, once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const settled = Symbol("settled");
  const marked = Promise.allSettled([promise]).then(() => settled);
  await new Promise(setImmediate);
  return (await Promise.race([marked, new Promise(setImmediate)])) === settled;
}

describe("the lock of calls", () => {
  it("lets many run together, and one alone, in the order of asking", async () => {
    const lock = createCallLock();
    const [first, second] = [await lock.take("together", never), await lock.take("together", never)];
    const alone = lock.take("alone", never);
    const later = lock.take("together", never);
    first();
    expect(await isSettled(alone)).toBe(false);
    second();
    const release = await alone;
    expect(await isSettled(later)).toBe(false);
    release();
    (await later)();
  });

  it("forgets who left the queue, and lets go once", async () => {
    const lock = createCallLock();
    const stop = new AbortController();
    const first = await lock.take("alone", never);
    const left = lock.take("alone", stop.signal);
    const next = lock.take("alone", never);
    stop.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    first();
    first();
    const release = await next;
    const last = lock.take("together", never);
    expect(await isSettled(last)).toBe(false);
    release();
    expect(await isSettled(last)).toBe(true);
    await expect(lock.take("alone", AbortSignal.abort(new Error("late")))).rejects.toThrow("late");
  });
});

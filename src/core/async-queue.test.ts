import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AsyncQueue } from "./async-queue.ts";

/** Lets every promise that can settle do so. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function readAll<T>(queue: AsyncQueue<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of queue) items.push(item);
  return items;
}

describe("AsyncQueue", () => {
  it("gives items in the order in which they were pushed, then ends", async () => {
    const queue = new AsyncQueue<number>();
    for (const item of [1, 2, 3]) expect(await queue.push(item)).toBe(true);
    expect(queue.size).toBe(3);
    queue.end();
    expect(await readAll(queue)).toEqual([1, 2, 3]);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it("carries undefined and null like any other item", async () => {
    const queue = new AsyncQueue<number | undefined | null>();
    for (const item of [undefined, null, undefined]) await queue.push(item);
    queue.end();
    expect(await readAll(queue)).toEqual([undefined, null, undefined]);
  });

  it("makes the writer wait while it is full", async () => {
    const queue = new AsyncQueue<number>(1);
    await queue.push(1);
    let taken = false;
    const second = queue.push(2).then(() => (taken = true));
    await settled();
    expect({ taken, size: queue.size }).toEqual({ taken: false, size: 1 });
    expect(await queue.next()).toEqual({ value: 1, done: false });
    await second;
    expect(await queue.next()).toEqual({ value: 2, done: false });
  });

  it("never holds more than its capacity, and loses nothing, with many writers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 30 }), async (capacity, count) => {
        const queue = new AsyncQueue<number>(capacity);
        const pushes = Array.from({ length: count }, (_, item) => queue.push(item));
        const done = Promise.all(pushes).then(() => queue.end());
        const items: number[] = [];
        for await (const item of queue) {
          expect(queue.size).toBeLessThanOrEqual(capacity);
          items.push(item);
        }
        await done;
        expect(items).toEqual(pushes.map((_, item) => item));
      }),
    );
  });

  it("keeps the order when a push comes just as there is room for one that waits", async () => {
    const queue = new AsyncQueue<number>(1);
    const pushes = [queue.push(1), queue.push(2)];
    const first = queue.next();
    pushes.push(queue.push(3));
    expect(await first).toEqual({ value: 1, done: false });
    expect(await queue.next()).toEqual({ value: 2, done: false });
    expect(await queue.next()).toEqual({ value: 3, done: false });
    expect(await Promise.all(pushes)).toEqual([true, true, true]);
  });

  it("passes items from hand to hand when it has no room at all", async () => {
    const queue = new AsyncQueue<number>(0);
    const push = queue.push(1);
    expect(queue.size).toBe(0);
    expect(await queue.next()).toEqual({ value: 1, done: false });
    expect(await push).toBe(true);
  });

  it("hands an item straight to a reader that waits, in the order of the readers", async () => {
    const queue = new AsyncQueue<string>(1);
    const reads = [queue.next(), queue.next()];
    await queue.push("first");
    await queue.push("second");
    expect(await Promise.all(reads)).toEqual([
      { value: "first", done: false },
      { value: "second", done: false },
    ]);
  });

  it("ends every reader that waits", async () => {
    const queue = new AsyncQueue<string>();
    const reads = [queue.next(), queue.next()];
    queue.end();
    expect(await Promise.all(reads)).toEqual([
      { value: undefined, done: true },
      { value: undefined, done: true },
    ]);
  });

  it("gives what was waiting before the failure, then the failure once, then the end", async () => {
    const queue = new AsyncQueue<string>();
    await queue.push("before");
    queue.fail(new Error("broken"));
    expect(await queue.next()).toEqual({ value: "before", done: false });
    await expect(queue.next()).rejects.toThrow("broken");
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it("fails a reader that waits", async () => {
    const queue = new AsyncQueue<string>();
    const read = queue.next();
    queue.fail(new Error("broken"));
    await expect(read).rejects.toThrow("broken");
  });

  it("keeps its first ending", async () => {
    const queue = new AsyncQueue<string>();
    queue.end();
    queue.fail(new Error("too late"));
    queue.end();
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it("refuses items after the end, and tells writers that waited", async () => {
    const queue = new AsyncQueue<number>(1);
    await queue.push(1);
    const waiting = [queue.push(2), queue.push(3)];
    queue.end();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    expect(await queue.push(4)).toBe(false);
    expect(await readAll(queue)).toEqual([1]);
  });

  it("drops what was waiting when the reader stops early, and frees the writers", async () => {
    const queue = new AsyncQueue<number>(1);
    await queue.push(1);
    const waiting = queue.push(2);
    for await (const item of queue) {
      expect(item).toBe(1);
      break;
    }
    expect(await queue.next()).toEqual({ value: undefined, done: true });
    expect(await queue.push(3)).toBe(false);
    await waiting;
    expect(queue.size).toBe(0);
  });

  it("forgets a failure when the reader stops early", async () => {
    const queue = new AsyncQueue<number>();
    queue.fail(new Error("broken"));
    expect(await queue.return()).toEqual({ value: undefined, done: true });
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });
});

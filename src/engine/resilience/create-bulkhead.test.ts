import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { createBulkhead } from "./bulkhead.ts";

const FOREVER = { deadline: Infinity };

test("beyond its places turns wait in order, and beyond the queue they are refused", async () => {
  const bulkhead = createBulkhead({ maxConcurrent: 1, maxWaiting: 2 }, createFakeClock());
  const order: string[] = [];
  const leave = await bulkhead.enter(FOREVER);
  const pass = async (name: string): Promise<void> => {
    const leaveAgain = await bulkhead.enter(FOREVER);
    order.push(name);
    leaveAgain();
  };
  const [second, third] = [pass("second"), pass("third")];
  await expect(bulkhead.enter(FOREVER)).rejects.toMatchObject({
    name: "ResourceExhaustionError",
    kind: "resource_exhausted",
    retryable: true,
    resource: "turns",
    message: "All places are taken: 1 running, 2 waiting",
  });
  leave();
  await Promise.all([second, third]);
  expect(order).toEqual(["second", "third"]);
});

test("a waiting turn that is cancelled leaves the queue, and does not hold up the next", async () => {
  const bulkhead = createBulkhead({ maxConcurrent: 1, maxWaiting: 1 }, createFakeClock());
  const leave = await bulkhead.enter(FOREVER);
  const controller = new AbortController();
  const cancelled = bulkhead.enter({ ...FOREVER, signal: controller.signal });
  controller.abort();
  await expect(cancelled).rejects.toMatchObject({ kind: "cancelled", retryable: false });
  const next = bulkhead.enter(FOREVER);
  leave();
  expect(await next).toBeTypeOf("function");
});

test("nobody waits past the deadline", async () => {
  const clock = createFakeClock();
  const bulkhead = createBulkhead({ maxConcurrent: 1, maxWaiting: 1 }, clock);
  await bulkhead.enter(FOREVER);
  const late = bulkhead.enter({ deadline: clock.now() + 5000 });
  clock.advance(5000);
  await expect(late).rejects.toMatchObject({ kind: "timeout", reason: "deadline", retryable: false });
});

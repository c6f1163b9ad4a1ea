import { describe, expect, it } from "vitest";
import { createEventBus } from "./event-bus.ts";

describe("the event bus", () => {
  it("hands each event to every subscriber, in the order in which they subscribed", () => {
    const bus = createEventBus<number>();
    const seen: string[] = [];
    bus.subscribe((event) => seen.push(`first ${event}`));
    bus.subscribe((event) => seen.push(`second ${event}`));
    bus.publish(1);
    bus.publish(2);
    expect(seen).toEqual(["first 1", "second 1", "first 2", "second 2"]);
  });

  it("stops handing events over when a subscription ends, and ends it only once", () => {
    const bus = createEventBus<number>();
    const seen: number[] = [];
    const listener = (event: number): unknown => seen.push(event);
    const endFirst = bus.subscribe(listener);
    bus.subscribe(listener);
    bus.publish(1);
    endFirst();
    endFirst();
    bus.publish(2);
    expect(seen).toEqual([1, 1, 2]);
  });

  it("reports a listener that throws and goes on with the others", () => {
    const errors: unknown[] = [];
    const bus = createEventBus<number>((error) => errors.push(error));
    const seen: number[] = [];
    const failure = new Error("listener");
    bus.subscribe(() => {
      throw failure;
    });
    bus.subscribe((event) => seen.push(event));
    bus.publish(1);
    expect({ errors, seen }).toEqual({ errors: [failure], seen: [1] });
  });

  it("lets a listener end its own subscription, or another's, while an event is handed over", () => {
    const bus = createEventBus<number>();
    const seen: string[] = [];
    const endFirst = bus.subscribe((event) => {
      seen.push(`first ${event}`);
      endFirst();
      endLast();
    });
    bus.subscribe((event) => seen.push(`second ${event}`));
    const endLast = bus.subscribe((event) => seen.push(`last ${event}`));
    bus.publish(1);
    bus.publish(2);
    expect(seen).toEqual(["first 1", "second 1", "second 2"]);
  });

  it("hands an event only to those who had subscribed when it was published", () => {
    const bus = createEventBus<number>();
    const seen: number[] = [];
    const resubscribe = (): void => {
      bus.subscribe((event) => seen.push(event));
    };
    bus.subscribe(resubscribe);
    bus.publish(1);
    expect(seen).toEqual([]);
    bus.publish(2);
    expect(seen).toEqual([2]);
  });

  it("is quiet without subscribers", () => {
    expect(() => createEventBus<number>().publish(1)).not.toThrow();
  });
});

import { describe, expect, expectTypeOf, it } from "vitest";
import { InProcessDispatcher, type DispatchError } from "./dispatcher.ts";
import type { ToolInvoked } from "./prompt-events.ts";

interface Ping {
  readonly type: "ping";
  readonly count: number;
}
const ping: Ping = { type: "ping", count: 1 };

describe("an in-process dispatcher", () => {
  it("calls the handlers of the event's type, in order, until they unsubscribe", () => {
    const dispatcher = new InProcessDispatcher();
    const seen: string[] = [];
    const handler = ({ count }: Ping): void => void seen.push(`first ${count}`);
    const end = dispatcher.subscribe("ping", handler);
    dispatcher.subscribe("ping", handler);
    dispatcher.subscribe("pong", () => void seen.push("pong"));
    expect(dispatcher.dispatch(ping)).toEqual({ event: ping, handled: 2, errors: [], ok: true });
    end();
    end();
    expect(dispatcher.dispatch(ping)).toMatchObject({ handled: 1 });
    expect(dispatcher.dispatch({ type: "other" })).toMatchObject({ handled: 0, ok: true });
    expect(seen).toEqual(["first 1", "first 1", "first 1"]);
  });

  it("keeps a handler that fails from stopping the others, and tells of it", async () => {
    const told: DispatchError[] = [];
    const dispatcher = new InProcessDispatcher({ onError: (error) => void told.push(error) });
    const seen: string[] = [];
    dispatcher.subscribe("ping", () => {
      throw new Error("broken");
    });
    dispatcher.subscribe("ping", async () => await Promise.reject(new Error("broken later")));
    dispatcher.subscribe("ping", () => void seen.push("last"));
    const result = dispatcher.dispatch(ping);
    expect(result).toMatchObject({ handled: 3, ok: false, errors: [{ source: "handler", name: "ping" }] });
    expect(seen).toEqual(["last"]);
    await new Promise(setImmediate);
    expect(told.map(({ error }) => error.message)).toEqual(["broken", "broken later"]);
  });

  it("knows the events of evaluations by type", () => {
    new InProcessDispatcher().subscribe("tool-invoked", (event) => {
      expectTypeOf(event).toEqualTypeOf<ToolInvoked>();
    });
  });
});

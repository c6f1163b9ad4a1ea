import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PromptSession } from "./prompt-session.ts";
import { append } from "./reducers.ts";
import { defineSlice } from "./slice.ts";
import fc from "fast-check";

interface Counted {
  readonly type: "counted";
  readonly by: string;
}
const counted = (by: string): Counted => ({ type: "counted", by });
const state = defineSlice({ name: "state", schema: z.string(), on: { counted: append(({ by }: Counted) => by) } });
const log = defineSlice({
  name: "log",
  schema: z.string(),
  policy: "log",
  on: { counted: append(({ by }: Counted) => by) },
});

function start(): PromptSession {
  const session = new PromptSession();
  session.slice(state).append("before");
  session.slice(log);
  return session;
}

describe("a transaction of a session", () => {
  it("takes back its own changes of state, and leaves logs", async () => {
    const session = start();
    const transaction = session.begin();
    await transaction.run(async () => {
      session.dispatch(counted("mine"));
      await Promise.resolve();
      session.slice(state).append("mine too");
    });
    expect(session.slice(state).all).toEqual(["before", "mine", "mine too"]);
    transaction.rollback();
    expect(session.slice(state).all).toEqual(["before"]);
    expect(session.slice(log).all).toEqual(["mine"]);
  });

  it("keeps what others did meanwhile, before, between and after", async () => {
    const session = start();
    const [first, second] = [session.begin(), session.begin()];
    await Promise.all([
      first.run(async () => {
        session.dispatch(counted("first"));
        await Promise.resolve();
        session.dispatch(counted("first again"));
      }),
      second.run(async () => {
        session.dispatch(counted("second"));
        await Promise.resolve();
        session.slice(state).clear((item) => item === "before");
      }),
    ]);
    session.dispatch(counted("nobody"));
    first.rollback();
    expect(session.slice(state).all).toEqual(["second", "nobody"]);
    second.commit();
    second.rollback();
    expect(session.slice(state).all).toEqual(["second", "nobody"]);
  });

  it("comes to what the kept ones alone would have done, whatever the order", () => {
    const step = fc.record({ owner: fc.nat(3), text: fc.string() });
    fc.assert(
      fc.property(fc.array(step), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), (steps, isKept) => {
        const session = start();
        const transactions = isKept.map(() => session.begin());
        for (const { owner, text } of steps) transactions[owner]!.run(() => session.dispatch(counted(text)));
        for (const [owner, transaction] of transactions.entries()) {
          if (isKept[owner]) transaction.commit();
          else transaction.rollback();
        }
        const kept = steps.filter(({ owner }) => isKept[owner]).map(({ text }) => text);
        expect(session.slice(state).all).toEqual(["before", ...kept]);
        expect(session.slice(log).all).toEqual(steps.map(({ text }) => text));
      }),
    );
  });

  it("takes those inside of it along", () => {
    const session = start();
    const outer = session.begin();
    outer.run(() => {
      const inner = session.begin();
      inner.run(() => session.dispatch(counted("inner")));
      inner.commit();
    });
    outer.rollback();
    expect(session.slice(state).all).toEqual(["before"]);
  });
});

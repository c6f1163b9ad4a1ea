import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createFakeClock } from "../../testing/index.ts";
import { InProcessDispatcher } from "./dispatcher.ts";
import type { ToolInvoked } from "./prompt-events.ts";
import { PromptSession, eventLog } from "./prompt-session.ts";
import { append, replaceLatest, upsertBy } from "./reducers.ts";
import { defineSlice } from "./slice.ts";
import fc from "fast-check";

interface TaskMoved {
  readonly type: "task-moved";
  readonly id: string;
  readonly place: string;
}
const moved = (id: string, place: string): TaskMoved => ({ type: "task-moved", id, place });

const Task = z.object({ id: z.string(), place: z.string() });
const toTask = ({ id, place }: TaskMoved): z.infer<typeof Task> => ({ id, place });
const tasks = defineSlice({ name: "tasks", schema: Task, on: { "task-moved": upsertBy(({ id }) => id, toTask) } });
const current = defineSlice({ name: "current", schema: Task, on: { "task-moved": replaceLatest(toTask) } });
const history = defineSlice({ name: "history", schema: Task, policy: "log", on: { "task-moved": append(toTask) } });

function sessionWithAll(): PromptSession {
  const session = new PromptSession();
  for (const slice of [tasks, current, history]) session.slice(slice);
  return session;
}

const invoked = (callId: string): ToolInvoked => ({
  type: "tool-invoked",
  eventId: `event-${callId}`,
  sessionId: "s",
  evaluationId: "e",
  promptNs: "demo",
  promptKey: "hello",
  createdAt: "2026-01-01T00:00:00.000Z",
  callId,
  name: "Bash",
  isBridged: false,
  input: { command: "ls" },
  success: true,
  output: "README.md",
});

describe("a session", () => {
  it("has slices that events change through their reducers", () => {
    const session = sessionWithAll();
    for (const event of [moved("a", "todo"), moved("b", "todo"), moved("a", "done")]) {
      expect(session.dispatch(event)).toEqual({ event, handled: 0, errors: [], ok: true });
    }
    session.dispatch({ type: "of no concern" });
    const done = { id: "a", place: "done" };
    expect(session.slice(tasks).all).toEqual([done, { id: "b", place: "todo" }]);
    expect(session.slice(current).all).toEqual([done]);
    expect(session.slice(history).all.map(({ id }) => id)).toEqual(["a", "b", "a"]);
    expect(session.slice(history).latest).toEqual(done);
    expect(session.slice(history).where(({ id }) => id === "b")).toEqual([{ id: "b", place: "todo" }]);
    expectTypeOf(session.slice(tasks).latest).toEqualTypeOf<{ id: string; place: string } | undefined>();
  });

  it("can be changed by hand", () => {
    const slice = new PromptSession().slice(tasks);
    slice.seed([moved("a", "x"), moved("b", "x")]);
    slice.append({ id: "c", place: "y" });
    slice.clear(({ id }) => id === "a");
    expect(slice.all.map(({ id }) => id)).toEqual(["b", "c"]);
    slice.clear();
    expect(slice.all).toEqual([]);
  });

  it("goes on when a reducer fails, and says so", () => {
    const session = sessionWithAll();
    const broken = defineSlice({
      name: "broken",
      schema: Task,
      on: {
        "task-moved": () => {
          throw new Error("no idea");
        },
      },
    });
    const wrong = defineSlice({
      name: "wrong",
      schema: z.object({ id: z.number() }),
      on: { "task-moved": append((event: TaskMoved) => ({ id: event.id as unknown as number })) },
    });
    session.slice(broken);
    session.slice(wrong);
    const result = session.dispatch(moved("a", "todo"));
    expect(result.ok).toBe(false);
    expect(result.errors).toMatchObject([
      { source: "reducer", name: "broken", error: { message: "no idea" } },
      { source: "reducer", name: "wrong", error: { kind: "usage", target: "wrong" } },
    ]);
    expect(session.slice(tasks).all).toHaveLength(1);
    expect(session.slice(wrong).all).toEqual([]);
  });

  it("hands events on to its dispatcher, with what went wrong there", () => {
    const dispatcher = new InProcessDispatcher();
    dispatcher.subscribe("task-moved", () => {
      throw new Error("deaf");
    });
    const session = new PromptSession({ dispatcher });
    session.slice(tasks);
    expect(session.child().dispatch(moved("a", "todo"))).toMatchObject({ handled: 1, errors: [{ source: "handler" }] });
    expect(session.slice(tasks).all).toEqual([]);
  });

  it("keeps copies: who changes what was given does not change what is remembered", () => {
    const session = new PromptSession();
    const item = { id: "a", place: "todo" };
    session.slice(tasks).append(item);
    item.place = "changed";
    expect(session.slice(tasks).latest).toEqual({ id: "a", place: "todo" });
    expect(() => Object.assign(session.slice(tasks).latest!, { place: "changed" })).toThrow(TypeError);
  });

  it("refuses items that are not of the slice's shape, or no JSON", () => {
    const slice = new PromptSession().slice(tasks);
    expect(() => slice.append({ id: "a" } as never)).toThrow(
      expect.objectContaining({ kind: "usage", target: "tasks" }),
    );
    const circle: { id: string; place: string; self?: object } = { id: "a", place: "b" };
    circle.self = circle;
    expect(() => slice.append(circle)).toThrow("cannot be written as JSON");
    expect(() => slice.append(undefined as never)).toThrow("cannot be written as JSON");
    expect(slice.all).toEqual([]);
  });

  it("refuses another slice of the same name, and names out of shape", () => {
    const session = sessionWithAll();
    expect(() => session.slice(defineSlice({ name: "tasks", schema: Task }))).toThrow(
      expect.objectContaining({ kind: "usage", target: "tasks" }),
    );
    expect(() => defineSlice({ name: "A b", schema: Task })).toThrow(expect.objectContaining({ kind: "usage" }));
  });

  it("remembers the events of evaluations from its beginning", () => {
    const session = new PromptSession();
    expect(session.dispatch(invoked("toolu_1")).ok).toBe(true);
    expect(session.slice(eventLog).all).toEqual([invoked("toolu_1")]);
    expect(session.dispatch({ ...invoked("toolu_2"), createdAt: "yesterday" }).errors).toMatchObject([
      { name: "events" },
    ]);
  });

  it("has children of its own kind", () => {
    const clock = createFakeClock();
    const session = new PromptSession({ id: "root", clock, tags: { team: "a" } });
    const child = session.child({ id: "part" });
    expect(session.children).toEqual([child]);
    expect([child.parent, child.id, child.createdAt]).toEqual([session, "part", "2026-01-01T00:00:00.000Z"]);
    child.slice(tasks).append({ id: "a", place: "x" });
    expect(session.slice(tasks).all).toEqual([]);
  });
});

describe("a snapshot of a session", () => {
  it("takes state back and leaves logs", () => {
    const session = sessionWithAll();
    session.dispatch(moved("a", "todo"));
    const snapshot = session.snapshot();
    session.dispatch(moved("a", "done"));
    const late = defineSlice({ name: "late", schema: Task });
    session.slice(late).append({ id: "z", place: "z" });
    session.restore(snapshot);
    expect(session.slice(tasks).all).toEqual([{ id: "a", place: "todo" }]);
    expect(session.slice(current).all).toEqual([{ id: "a", place: "todo" }]);
    expect(session.slice(history).all).toHaveLength(2);
    expect(session.slice(late).all).toEqual([]);
  });

  it("of anything can be restored after anything, also as JSON", () => {
    const event = fc.record({
      type: fc.constant("task-moved" as const),
      id: fc.constantFrom("a", "b", "c"),
      place: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(event), fc.array(event), fc.boolean(), (before, after, asJson) => {
        const session = sessionWithAll();
        for (const each of before) session.dispatch(each);
        const snapshot = session.snapshot();
        const state = [session.slice(tasks).all, session.slice(current).all];
        for (const each of after) session.dispatch(each);
        session.restore(asJson ? (JSON.parse(JSON.stringify(snapshot)) as typeof snapshot) : snapshot);
        expect([session.slice(tasks).all, session.slice(current).all]).toEqual(state);
        expect(session.slice(history).all).toHaveLength(before.length + after.length);
      }),
    );
  });

  it("is refused where it is another session's, or none, before anything is changed", () => {
    const session = sessionWithAll();
    session.dispatch(moved("a", "todo"));
    const snapshot = session.snapshot();
    const foreign = new PromptSession().snapshot();
    const spoilt = {
      ...snapshot,
      slices: { current: { policy: "state", items: [] }, tasks: { policy: "state", items: [1] } },
    };
    for (const wrong of [foreign, {}, null, { ...snapshot, version: 2 }, spoilt]) {
      expect(() => session.restore(wrong as never)).toThrow(expect.objectContaining({ kind: "usage" }));
    }
    expect(session.slice(current).all).toEqual([{ id: "a", place: "todo" }]);
  });
});

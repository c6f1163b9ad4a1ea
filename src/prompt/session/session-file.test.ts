import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createFakeClock } from "../../testing/index.ts";
import { PromptSession } from "./prompt-session.ts";
import { append, upsertBy } from "./reducers.ts";
import { defineSlice } from "./slice.ts";
import fc from "fast-check";

interface Noted {
  readonly type: "noted";
  readonly id: string;
  readonly text: string;
}
const noted = (id: string, text: string): Noted => ({ type: "noted", id, text });
const Note = z.object({ id: z.string(), text: z.string() });
const toNote = ({ id, text }: Noted): z.infer<typeof Note> => ({ id, text });
const notes = defineSlice({ name: "notes", schema: Note, on: { noted: upsertBy(({ id }) => id, toNote) } });
const log = defineSlice({ name: "log", schema: Note, policy: "log", on: { noted: append(toNote) } });

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-session-"));
  file = join(folder, "deep/session.jsonl");
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

const open = (path = file): PromptSession => {
  const session = new PromptSession({ file: path, clock: createFakeClock() });
  session.slice(notes);
  session.slice(log);
  return session;
};

describe("a session in a file", () => {
  it("is written in the pinned format", () => {
    const session = new PromptSession({ file, id: "s-1", tags: { team: "a" }, clock: createFakeClock() });
    session.slice(notes);
    session.dispatch(noted("a", "one"));
    session.child({ id: "s-2" }).slice(log).append({ id: "b", text: "two" });
    session.dispatch(noted("a", "three"));
    expect(
      readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { type: "session", version: 1, session: "s-1", createdAt: "2026-01-01T00:00:00.000Z", tags: { team: "a" } },
      {
        type: "slice",
        session: "s-1",
        slice: "notes",
        policy: "state",
        change: "append",
        items: [{ id: "a", text: "one" }],
      },
      { type: "session", version: 1, session: "s-2", parent: "s-1", createdAt: "2026-01-01T00:00:00.000Z", tags: {} },
      {
        type: "slice",
        session: "s-2",
        slice: "log",
        policy: "log",
        change: "append",
        items: [{ id: "b", text: "two" }],
      },
      {
        type: "slice",
        session: "s-1",
        slice: "notes",
        policy: "state",
        change: "replace",
        items: [{ id: "a", text: "three" }],
      },
    ]);
  });

  it("is the same when it is read again, whatever happened", async () => {
    const step = fc.oneof(
      fc.record({
        act: fc.constant("dispatch" as const),
        id: fc.constantFrom("a", "b"),
        text: fc.string({ unit: "binary" }),
      }),
      fc.record({ act: fc.constantFrom("snapshot" as const, "restore" as const, "clear" as const, "reopen" as const) }),
    );
    let count = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        const path = join(folder, `${(count += 1)}.jsonl`);
        let session = open(path);
        let snapshot = session.snapshot();
        for (const each of steps) {
          if (each.act === "dispatch") session.dispatch(noted(each.id, each.text));
          if (each.act === "snapshot") snapshot = session.snapshot();
          if (each.act === "restore") session.restore(snapshot);
          if (each.act === "clear") session.slice(notes).clear(({ id }) => id === "a");
          if (each.act === "reopen") session = open(path);
        }
        expect(open(path).snapshot()).toEqual(session.snapshot());
      }),
      { numRuns: 60 },
    );
  });

  it("has its children again, with theirs", () => {
    const session = open();
    session
      .child({ id: "one" })
      .child({ id: "two", tags: { depth: "2" } })
      .slice(notes)
      .append({ id: "a", text: "deep" });
    const [one] = open().children;
    expect(one?.id).toBe("one");
    expect(one?.children[0]).toMatchObject({ id: "two", tags: { depth: "2" }, parent: one });
    expect(one?.children[0]?.slice(notes).all).toEqual([{ id: "a", text: "deep" }]);
  });

  it("passes over the half line that a crash left, wherever it broke off, and writes in its place", () => {
    const session = open();
    session.dispatch(noted("a", "öne"));
    const whole = readFileSync(file);
    session.dispatch(noted("b", "twö"));
    const longer = readFileSync(file);
    for (let end = whole.length; end < longer.length; end += 1) {
      writeFileSync(file, longer);
      truncateSync(file, end);
      const again = open();
      expect(again.slice(notes).all[0]).toEqual({ id: "a", text: "öne" });
      again.slice(notes).append({ id: "c", text: "later" });
      expect(open().slice(notes).all.at(-1)).toEqual({ id: "c", text: "later" });
    }
  });

  it("keeps slices and records that the program does not know", () => {
    open().dispatch(noted("a", "one"));
    appendFileSync(file, `${JSON.stringify({ type: "of tomorrow", more: [1] })}\n`);
    const line = {
      type: "slice",
      session: open().id,
      slice: "else",
      policy: "state",
      change: "append",
      items: [{ odd: [1] }],
      extra: 1,
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    const session = new PromptSession({ file });
    const snapshot = session.snapshot();
    expect(snapshot.slices["else"]).toEqual({ policy: "state", items: [{ odd: [1] }] });
    session.slice(notes).append({ id: "b", text: "two" });
    session.restore(snapshot);
    const again = new PromptSession({ file });
    expect(again.snapshot().slices["else"]?.items).toEqual([{ odd: [1] }]);
    const known = defineSlice({ name: "else", schema: z.object({ odd: z.array(z.number()) }) });
    expect(again.slice(known).all).toEqual([{ odd: [1] }]);
    expect(readFileSync(file, "utf8")).toContain("of tomorrow");
  });

  it("takes back a transaction in the file too", () => {
    const session = open();
    session.dispatch(noted("a", "kept"));
    const transaction = session.begin();
    transaction.run(() => session.dispatch(noted("a", "undone")));
    transaction.rollback();
    expect(open().slice(notes).all).toEqual([{ id: "a", text: "kept" }]);
    expect(open().slice(log).all).toHaveLength(2);
  });

  it.each([
    ["a broken line", "{broken}\n", "Line 1"],
    ["a file of something else", '{"type":"slice","session":"x"}\n', "Line 1"],
    ["a later version", '{"type":"session","version":2,"session":"x","createdAt":"","tags":{}}\n', "Line 1"],
    [
      "another beginning",
      '{"type":"slice","session":"x","slice":"a","policy":"log","change":"append","items":[]}\n',
      "Line 1",
    ],
  ])("says where it cannot be read: %s", async (_, text, message) => {
    await mkdir(join(folder, "deep"));
    writeFileSync(file, text);
    expect(() => open()).toThrow(expect.objectContaining({ kind: "parse", target: file }));
    expect(() => open()).toThrow(message);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("refuses items of a file that are not of the slice's shape", () => {
    const loose = defineSlice({ name: "notes", schema: z.unknown() });
    new PromptSession({ file }).slice(loose).append({ other: 1 });
    expect(() => open()).toThrow(expect.objectContaining({ target: "notes" }));
  });

  it("refuses another id, and a file for a child", () => {
    const session = open();
    expect(() => new PromptSession({ file, id: "other" })).toThrow(
      expect.objectContaining({ kind: "usage", target: file }),
    );
    expect(() => new PromptSession({ file: join(folder, "x"), parent: session })).toThrow(
      expect.objectContaining({ kind: "usage" }),
    );
  });

  it("says that it could not be written, and writes it with the next change", async () => {
    const session = open();
    const text = readFileSync(file);
    await rm(file);
    await mkdir(file);
    const result = session.dispatch(noted("a", "one"));
    expect(result.errors).toMatchObject([{ source: "file", name: file, error: { kind: "filesystem", target: file } }]);
    expect(session.slice(notes).all).toHaveLength(1);
    expect(() => session.slice(notes).append({ id: "b", text: "two" })).toThrow(
      expect.objectContaining({ kind: "filesystem" }),
    );
    await rm(file, { recursive: true });
    writeFileSync(file, text);
    await chmod(file, 0o600);
    expect(session.dispatch(noted("c", "three")).ok).toBe(true);
    expect(
      open()
        .slice(notes)
        .all.map(({ id }) => id),
    ).toEqual(["a", "b", "c"]);
  });
});

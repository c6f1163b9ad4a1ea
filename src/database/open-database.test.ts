import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Generated, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { UnusableDatabaseError } from "./database-error.ts";
import { type Database, openDatabase } from "./open-database.ts";

interface Tables {
  readonly notes: { readonly id: Generated<number>; readonly text: string };
}

const NOTES = "create table notes (id integer primary key, text text not null) strict";

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-database-"));
  path = join(root, "notes.sqlite");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function open(migrations: readonly string[] = [NOTES]): Promise<Database<Tables>> {
  return openDatabase<Tables>(path, { migrations });
}

async function pragma({ db }: Database<Tables>, name: string): Promise<unknown> {
  const { rows } = await sql`pragma ${sql.raw(name)}`.execute(db);
  return Object.values(rows[0] as object)[0];
}

async function texts({ db }: Database<Tables>): Promise<readonly string[]> {
  const rows = await db.selectFrom("notes").select("text").orderBy("id").execute();
  return rows.map(({ text }) => text);
}

describe("a new database", () => {
  it("has large pages, a write-ahead log and the version of its migrations", async () => {
    await using database = await open([NOTES, "create table more (id integer primary key)"]);
    const names = ["page_size", "journal_mode", "synchronous", "foreign_keys", "user_version"];
    const values = await Promise.all(names.map((name) => pragma(database, name)));
    expect(values).toEqual([16_384, "wal", 1, 1, 2]);
  });

  it("keeps what is written, and gives numbers for integers", async () => {
    {
      await using database = await open();
      const inserted = await database.db.insertInto("notes").values({ text: "first" }).executeTakeFirst();
      const changed = await database.db.updateTable("notes").set({ text: "changed" }).executeTakeFirst();
      const returned = await database.db.insertInto("notes").values({ text: "second" }).returningAll().execute();
      expect([inserted.insertId, changed.numUpdatedRows, returned]).toEqual([1n, 1n, [{ id: 2, text: "second" }]]);
    }
    await using database = await open();
    expect(await database.db.selectFrom("notes").selectAll().execute()).toEqual([
      { id: 1, text: "changed" },
      { id: 2, text: "second" },
    ]);
  });

  it("refuses to give an integer that no number can hold", async () => {
    await using database = await open();
    const largest = await sql<{ n: number }>`select ${Number.MAX_SAFE_INTEGER} + 0 as n`.execute(database.db);
    expect(largest.rows).toEqual([{ n: Number.MAX_SAFE_INTEGER }]);
    const query = sql`select 9007199254740993 as n`.execute(database.db);
    await expect(query).rejects.toMatchObject({ name: "SkeinError", kind: "runtime", target: path });
  });

  it("is closed once, after what is running, and a second call does nothing", async () => {
    const database = await open();
    const written = database.db.transaction().execute(async (db) => {
      await db.insertInto("notes").values({ text: "one" }).execute();
      await new Promise(setImmediate);
      await db.insertInto("notes").values({ text: "two" }).execute();
    });
    await new Promise(setImmediate);
    await Promise.all([database.close(), database.close(), written]);
    await database.close();
    await using again = await open();
    expect(await texts(again)).toEqual(["one", "two"]);
  });
});

describe("migrations", () => {
  it("run in order, each once", async () => {
    const second = "insert into notes (text) values ('from the second')";
    await (await open()).close();
    await (await open([NOTES, second])).close();
    await using database = await open([NOTES, second, "insert into notes (text) values ('from the third')"]);
    expect(await texts(database)).toEqual(["from the second", "from the third"]);
  });

  it("leave nothing of a script that fails", async () => {
    const failing = "insert into notes (text) values ('half'); insert into nowhere values (1)";
    await expect(open([NOTES, failing])).rejects.toMatchObject({ name: "SkeinError", kind: "runtime" });
    await using database = await open();
    expect([await pragma(database, "user_version"), await texts(database)]).toEqual([1, []]);
  });

  it("do not touch a database of a newer version", async () => {
    await (await open([NOTES, "create table later (id integer)"])).close();
    const opening = open();
    await expect(opening).rejects.toBeInstanceOf(UnusableDatabaseError);
    await expect(opening).rejects.toMatchObject({ kind: "parse", reason: "newer", target: path });
  });
});

describe("a transaction", () => {
  it("is undone whole when it throws", async () => {
    await using database = await open();
    const failing = database.db.transaction().execute(async (db) => {
      await db.insertInto("notes").values({ text: "lost" }).execute();
      throw new Error("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    expect(await texts(database)).toEqual([]);
  });

  it("keeps other connections of the same process waiting, not stuck", async () => {
    await using one = await open();
    await using other = await open();
    let second: Promise<unknown> | undefined;
    await one.db.transaction().execute(async (db) => {
      await db.insertInto("notes").values({ text: "first" }).execute();
      second = other.db.insertInto("notes").values({ text: "second" }).execute();
      await new Promise(setImmediate);
      await db.insertInto("notes").values({ text: "first again" }).execute();
    });
    await second;
    expect(await texts(other)).toEqual(["first", "first again", "second"]);
  });

  it("lets others read meanwhile, who see what was there before", async () => {
    await using one = await open();
    await using other = await open();
    await one.db.transaction().execute(async (db) => {
      await db.insertInto("notes").values({ text: "not yet" }).execute();
      expect(await texts(other)).toEqual([]);
    });
    expect(await texts(other)).toEqual(["not yet"]);
  });

  it("gives up waiting for the lock after ten seconds", async () => {
    const clock = createFakeClock();
    await using holder = await open();
    await using database = await openDatabase<Tables>(path, { migrations: [NOTES], clock });
    await holder.db.transaction().execute(async () => {
      const outcomes: unknown[] = [];
      const insert = database.db.insertInto("notes").values({ text: "never" }).execute();
      const ended = insert.catch((error: unknown) => outcomes.push(error));
      await new Promise(setImmediate);
      clock.advance(9999);
      await new Promise(setImmediate);
      expect(outcomes).toEqual([]);
      clock.advance(100);
      await ended;
      expect(outcomes).toMatchObject([{ kind: "timeout", retryable: true, target: path }]);
    });
  });
});

describe("a file that cannot be used", () => {
  const fill = async (): Promise<void> => {
    await using database = await open();
    const rows = Array.from({ length: 500 }, (_, index) => ({ text: `${index} `.repeat(100) }));
    await database.db.insertInto("notes").values(rows).execute();
  };

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["is no database", () => Buffer.from("something else ".repeat(1000))],
    ["was cut short", (bytes) => bytes.subarray(0, 40_000)],
    ["was cut within its first page", (bytes) => bytes.subarray(0, 5000)],
    ["has lost its schema", (bytes) => bytes.fill(0x5a, 100, 8000)],
  ])("is told as damaged where it %s", async (_how, damage) => {
    await fill();
    replace(damage);
    await expect(open()).rejects.toMatchObject({ kind: "parse", reason: "damaged", target: path });
  });

  it("is told as damaged by the query that meets the damage", async () => {
    await fill();
    replace((bytes) => bytes.fill(0x5a, 16_384 * 2));
    await using database = await open();
    await expect(texts(database)).rejects.toMatchObject({ kind: "parse", reason: "damaged", target: path });
  });

  it("is an empty database where it has no bytes", async () => {
    writeFileSync(path, "");
    await using database = await open();
    expect(await texts(database)).toEqual([]);
  });

  it("is told as the file system's where it cannot be opened", async () => {
    path = join(root, "no-such-folder", "notes.sqlite");
    await expect(open()).rejects.toMatchObject({ kind: "filesystem", target: path });
    path = root;
    await expect(open()).rejects.toMatchObject({ kind: "filesystem", target: path });
  });

  const replace = (damage: (bytes: Buffer) => Buffer): void => {
    const bytes = damage(readFileSync(path));
    path = join(root, "damaged.sqlite");
    writeFileSync(path, bytes);
  };
});

describe("a disk", () => {
  const mount = (options: string): boolean => {
    mkdirSync(join(root, "disk"));
    path = join(root, "disk", "notes.sqlite");
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", join(root, "disk")]);
    return status === 0;
  };

  it("that is read-only is told as the file system's", async (test) => {
    if (!mount("ro")) return test.skip("disks can only be made by root, where mounts are allowed");
    try {
      await expect(open()).rejects.toMatchObject({ kind: "filesystem", target: path });
    } finally {
      execFileSync("umount", ["--lazy", join(root, "disk")]);
    }
  });

  it("that is full is told by its kind, and what was written before is kept", async (test) => {
    if (!mount("size=2m")) return test.skip("disks can only be made by root, where mounts are allowed");
    try {
      await using database = await open();
      await database.db.insertInto("notes").values({ text: "kept" }).execute();
      const tooMuch = database.db.transaction().execute(async (db) => {
        await db.insertInto("notes").values({ text: "with the rest" }).execute();
        await db
          .insertInto("notes")
          .values({ text: "x".repeat(4_000_000) })
          .execute();
      });
      await expect(tooMuch).rejects.toMatchObject({ kind: "resource_exhausted", resource: "disk", target: path });
      await database.db.insertInto("notes").values({ text: "and on" }).execute();
      expect(await texts(database)).toEqual(["kept", "and on"]);
    } finally {
      execFileSync("umount", ["--lazy", join(root, "disk")]);
    }
  });
});

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "./open-database.ts";
import { openRebuildableDatabase } from "./open-rebuildable-database.ts";

// Other processes run the built package: `npm test` builds it first.
const BUILT = new URL("../../dist/database/index.js", import.meta.url).href;

interface Tables {
  readonly notes: { readonly id: string };
}

const MIGRATIONS = [
  "create table notes (id text primary key) strict",
  "insert into notes (id) values ('from the second migration')",
  "create table more (id text); insert into more select id from notes",
];

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-database-"));
  path = join(root, "notes.sqlite");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a database", () => {
  it("is made, migrated and written by several processes at once, none of which fails", async () => {
    const script = `
      const database = await openDatabase(path, { migrations });
      for (let n = 0; n < 100; n += 1) await write(database.db, process.pid + "-" + n);
      await database.close();`;
    const children = Array.from({ length: 4 }, () => start(script));
    expect(await Promise.all(children.map(ended))).toEqual(Array.from({ length: 4 }, () => ({ code: 0, stderr: "" })));
    const written = children.flatMap(({ pid }) => Array.from({ length: 100 }, (_, n) => `${pid}-${n}`));
    expect(await content()).toEqual({
      integrity: "ok",
      version: 3,
      notes: ["from the second migration", ...written].toSorted(),
    });
  });

  it("keeps every committed row when its writer is killed, and opens again", async () => {
    const script = `
      const database = await openDatabase(path, { migrations });
      for (let n = 0; ; n += 1) {
        await write(database.db, process.pid + "-" + n);
        console.log(process.pid + "-" + n);
      }`;
    const told = new Set<string>();
    for (let kill = 0; kill < 6; kill += 1) {
      const child = start(script);
      let output = "";
      child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
      // Each death comes at another point of the work.
      while (output.split("\n").length < 20 * (kill + 1)) await once(child.stdout as NodeJS.ReadableStream, "data");
      child.kill("SIGKILL");
      await once(child, "close");
      for (const id of output.split("\n").slice(0, -1)) told.add(id);
      const { integrity, notes } = await content();
      expect([integrity, [...told].filter((id) => !notes.includes(id))]).toEqual(["ok", []]);
    }
  });
});

describe("a database that can be made anew", () => {
  it.each(["damaged", "newer"])("is replaced once by several processes that find it %s", async (reason) => {
    if (reason === "damaged") writeFileSync(path, "nonsense ".repeat(10_000));
    else await (await openDatabase(path, { migrations: [...MIGRATIONS, "select 1"] })).close();
    const script = `
      const database = await openRebuildableDatabase(path, { migrations });
      for (let n = 0; n < 20; n += 1) await write(database.db, process.pid + "-" + n);
      await database.close();`;
    const children = Array.from({ length: 4 }, () => start(script));
    expect(await Promise.all(children.map(ended))).toEqual(Array.from({ length: 4 }, () => ({ code: 0, stderr: "" })));
    const written = children.flatMap(({ pid }) => Array.from({ length: 20 }, (_, n) => `${pid}-${n}`));
    expect(await content()).toEqual({
      integrity: "ok",
      version: 3,
      notes: ["from the second migration", ...written].toSorted(),
    });
  });

  it("is kept as it is where it is sound", async () => {
    {
      await using database = await openRebuildableDatabase<Tables>(path, { migrations: MIGRATIONS });
      await database.db.insertInto("notes").values({ id: "kept" }).execute();
    }
    await (await openRebuildableDatabase<Tables>(path, { migrations: MIGRATIONS })).close();
    expect((await content()).notes).toEqual(["from the second migration", "kept"]);
  });

  it("is gone when discarded, but not one that has taken its place", async () => {
    const open = () => openRebuildableDatabase<Tables>(path, { migrations: MIGRATIONS });
    const first = await open();
    const alsoFirst = await open();
    await Promise.all([first.discard(), first.discard()]);
    expect(readdirSync(root)).toEqual([]);
    await using second = await open();
    await alsoFirst.discard();
    expect(existsSync(path)).toBe(true);
    await second.db.insertInto("notes").values({ id: "in the second" }).execute();
  });
});

async function content(): Promise<{ integrity: unknown; version: unknown; notes: readonly string[] }> {
  await using database = await openDatabase<Tables>(path, { migrations: MIGRATIONS });
  const { rows: checked } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.db);
  const { rows: versions } = await sql<{ user_version: number }>`pragma user_version`.execute(database.db);
  const notes = await database.db.selectFrom("notes").select("id").execute();
  return {
    integrity: checked[0]?.integrity_check,
    version: versions[0]?.user_version,
    notes: notes.map(({ id }) => id).toSorted(),
  };
}

function start(body: string): ChildProcess {
  if (!existsSync(new URL(BUILT))) throw new Error("Build the package first: npm run build");
  const script = `
    import { openDatabase, openRebuildableDatabase } from ${JSON.stringify(BUILT)};
    const [path, migrations] = ${JSON.stringify([path, MIGRATIONS])};
    const write = (db, id) => db.transaction().execute((inside) => inside.insertInto("notes").values({ id }).execute());
    ${body}`;
  const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
  return spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr };
}

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../database/index.ts";
import { openStateIndex } from "./open-state-index.ts";
import { MIGRATIONS, type TraceTables } from "./schema.ts";
import type { IndexedState } from "./state-index.ts";

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-index-"));
  path = join(root, "index.sqlite");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const LATER_INDICES = [
  ...["Time", "Cost", "Duration", "Reward"].map((name) => `statesOfKindBy${name}`),
  "statesByBookmark",
  "statesBySearch",
];

function state(number: number): IndexedState {
  const id = number.toString(16).padStart(40, "0");
  return { id, kind: "edit", conversationId: "one ".repeat(200), recordedAtMs: number, depth: number, rewards: {} };
}

describe("an index of an earlier version", () => {
  it("orders what it holds by the rewards that it has", async () => {
    const rewarded = [state(1), { ...state(2), rewards: { a: 1, b: 3 } }, { ...state(3), rewards: { a: 2 } }];
    {
      await using index = await openStateIndex(path);
      await index.record(rewarded);
    }
    const database = await openDatabase<TraceTables>(path, { migrations: MIGRATIONS });
    // As the version before the best reward of each state left it.
    for (const name of ["statesByReward", ...LATER_INDICES]) await sql.raw(`drop index ${name}`).execute(database.db);
    for (const name of ["bestReward", "remark", "bookmark", "searchId"])
      await sql.raw(`alter table states drop column ${name}`).execute(database.db);
    await sql.raw("drop table agentShares").execute(database.db);
    await sql.raw(`pragma user_version = 3`).execute(database.db);
    await database.close();
    await using index = await openStateIndex(path);
    expect(await index.list({ order: "reward" })).toEqual([rewarded[1], rewarded[2], rewarded[0]]);
  });
});

describe("an index that cannot be used", () => {
  it.each(["damaged", "newer"])("is made anew where it is %s", async (reason) => {
    if (reason === "damaged") writeFileSync(path, "no database at all ".repeat(1000));
    else await (await openDatabase(path, { migrations: [...MIGRATIONS, "drop table bodies"] })).close();
    await using index = await openStateIndex(path);
    expect([await index.refs(), await index.list()]).toEqual([new Map(), []]);
    await index.record([state(1)], new Map([["a", state(1).id]]));
    expect([await index.refs(), await index.list()]).toEqual([new Map([["a", state(1).id]]), [state(1)]]);
  });

  it("throws where damage is met later, and is empty when it is opened again", async () => {
    {
      await using index = await openStateIndex(path);
      await index.record(Array.from({ length: 1000 }, (_, number) => state(number)));
    }
    const bytes = readFileSync(path);
    for (const file of readdirSync(root)) rmSync(join(root, file));
    writeFileSync(path, bytes.fill(0x5a, bytes.length / 2));
    const damaged = await openStateIndex(path);
    await expect(damaged.list()).rejects.toMatchObject({ kind: "parse", reason: "damaged", target: path });
    await expect(damaged.list()).rejects.toMatchObject({ kind: "usage" });
    await damaged.close();
    expect(readdirSync(root)).toEqual([]);
    await using index = await openStateIndex(path);
    expect([await index.refs(), await index.list()]).toEqual([new Map(), []]);
  });

  it("is told where its folder is not there", async () => {
    const nowhere = join(root, "nowhere", "index.sqlite");
    await expect(openStateIndex(nowhere)).rejects.toMatchObject({ kind: "filesystem" });
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRebuildableDatabase, type RebuildableDatabase } from "../../database/index.ts";
import { createStateIndex } from "./create-state-index.ts";
import { figureStatements, readKeys } from "./query-figures.ts";
import { selectSearches } from "./query-searches.ts";
import { shareStatement } from "./query-shares.ts";
import { listStates, selectAmongFirst, selectPlaces, selectStates, selectTotals } from "./query-states.ts";
import { MIGRATIONS, type TraceTables } from "./schema.ts";
import type { IndexedState, StateQuery, StateIndex } from "./state-index.ts";

const COUNT = 10_000;

let root: string;
let database: RebuildableDatabase<TraceTables>;
let index: StateIndex;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-index-"));
  database = await openRebuildableDatabase<TraceTables>(join(root, "index.sqlite"), { migrations: MIGRATIONS });
  index = createStateIndex(database, true);
  await index.record(Array.from({ length: COUNT }, (_, number) => state(number)));
});

afterAll(async () => {
  await index.close();
  rmSync(root, { recursive: true, force: true });
});

/** Conversations of twenty turns; every hundredth turn failed, every seventh used Bash and has a word of its own. */
function state(number: number, response = words(number * 31, 1000)): IndexedState {
  const isSeventh = number % 7 === 0;
  return {
    id: number.toString(16).padStart(8, "0").repeat(5),
    kind: "turn",
    conversationId: `conversation-${Math.floor(number / 20)}`,
    recordedAtMs: 1_700_000_000_000 + number * 1000,
    depth: number % 20,
    rewards: number % 2 === 0 ? { score: number } : {},
    turn: {
      transitionId: `transition-${number}`,
      prompt: `${isSeventh ? "seventh" : "other"} ${words(number, 200)}`,
      response,
      sessionId: "session",
      model: "model",
      outcome: number % 100 === 0 ? "failed" : "completed",
      costUsd: number / 1_000_000,
      inputTokens: 1,
      outputTokens: 1,
      cacheReadTokens: 1,
      cacheWriteTokens: 1,
      durationMs: 1,
      tools: [{ tool: isSeventh ? "Bash" : "Read", calls: 1, errors: 0 }],
      filesCreated: 0,
      filesModified: 0,
      filesDeleted: 0,
    },
  };
}

function words(seed: number, length: number): string {
  let text = "";
  for (let at = seed + 1; text.length < length; at = (at * 48_271) % 2_147_483_647)
    text += `${(at % 2000).toString(36)} `;
  return text;
}

async function plan(query: StateQuery): Promise<string> {
  const steps = await selectStates(database.db, query).explain<{ detail: string }>(undefined, sql`query plan`);
  return steps.map(({ detail }) => detail).join("\n");
}

describe("an index of ten thousand turns", () => {
  it.each<[StateQuery, number, string]>([
    [{ limit: 50 }, 9999, "SCAN states USING INDEX statesByTime"],
    [{ order: "oldest", limit: 50 }, 0, "SCAN states USING INDEX statesByTime"],
    [{ since: 1_700_000_000_000, until: 1_700_000_100_000, limit: 50 }, 99, "SEARCH states USING INDEX statesByTime"],
    [{ conversationId: "conversation-7", limit: 50 }, 159, "SEARCH states USING INDEX statesByConversation"],
    [{ order: "cost", maxCostUsd: 0.005, limit: 50 }, 5000, "SEARCH states USING INDEX statesByCost"],
    [{ outcome: "failed", limit: 50 }, 9900, "SEARCH states USING INDEX statesByOutcome"],
    [{ isError: true, limit: 50 }, 9900, "SEARCH states USING INDEX statesByOutcome"],
    [{ tool: "Bash", limit: 50 }, 9996, "SEARCH toolUses USING PRIMARY KEY (tool=?)"],
    [{ text: "seventh", limit: 50 }, 9996, "SCAN bodyWords VIRTUAL TABLE INDEX"],
    [
      { reward: { name: "score", max: 4000 }, limit: 50 },
      4000,
      "SEARCH rewardValues USING COVERING INDEX rewardsByValue",
    ],
    [
      { reward: { name: "score" }, order: "reward", limit: 50 },
      9998,
      "rewardsByValue (name=? AND value>? AND value<?)",
    ],
  ])("finds %j by an index", async (query, first, step) => {
    const found = await index.list(query);
    expect([found[0], found.length]).toEqual([state(first), Math.min(50, (await index.totals(query)).states)]);
    expect(await plan(query)).toContain(step);
  });

  it("sorts none of the lists that are asked for most", async () => {
    const queries: StateQuery[] = [
      {},
      { conversationId: "x" },
      { order: "cost" },
      { order: "reward" },
      { outcome: "failed" },
    ];
    for (const query of queries) expect(await plan(query)).not.toContain("TEMP B-TREE");
  });

  it("reads a name's rewards from the highest on, and sorts only those of one value and moment", async () => {
    const [scan, ...steps] = (await plan({ order: "reward", reward: { name: "score" }, tool: "Bash", limit: 50 }))
      .split("\n")
      .filter((step) => /rewardValues|TEMP B-TREE/u.test(step));
    expect(scan).toContain("rewardsByValue (name=? AND value>? AND value<?)");
    expect(steps[0]).toBe("USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY");
  });

  it("orders by the rewards, the best of each or those of a name, and by time where they are the same", async () => {
    const rewards = (number: number) => ({ score: number % 3, ...(number % 2 === 0 ? { other: number % 5 } : {}) });
    const some = Array.from({ length: 40 }, (_, number) => ({ ...state(number), rewards: rewards(number) }));
    await using own = createStateIndex(
      await openRebuildableDatabase<TraceTables>(join(root, "own.sqlite"), { migrations: MIGRATIONS }),
      true,
    );
    await own.record(some);
    await own.setNote(some[7]?.id ?? "", { rewards: { score: 8 } });
    await own.setNote(some[8]?.id ?? "", { rewards: {} });
    const given = some.map((each, at) => ({
      ...each,
      rewards: at === 7 ? { score: 8 } : at === 8 ? {} : each.rewards,
    }));
    const ordered = (valueOf: (rewards: Readonly<Record<string, number>>) => number) =>
      given.toSorted(
        (left, right) => valueOf(right.rewards) - valueOf(left.rewards) || right.recordedAtMs - left.recordedAtMs,
      );
    const best = ordered((each) => Math.max(-1, ...Object.values(each)));
    const others = ordered((each) => each["other"] ?? -1).filter((each) => "other" in each.rewards);
    expect(await own.list({ order: "reward" })).toEqual(best);
    expect(await own.list({ order: "reward", limit: 5, offset: 10 })).toEqual(best.slice(10, 15));
    expect(await own.list({ order: "reward", reward: { name: "other" } })).toEqual(others);
    const high = others.filter((each) => (each.rewards as { other?: number }).other === 3);
    expect(
      await own.list({ order: "reward", reward: { name: "other", min: 2.5, max: 3 }, limit: 3, offset: 1 }),
    ).toEqual(high.slice(1, 4));
  });

  it("orders by the reward as a whole where a state has one, whatever its parts count", async () => {
    await using own = createStateIndex(
      await openRebuildableDatabase<TraceTables>(join(root, "whole.sqlite"), { migrations: MIGRATIONS }),
      true,
    );
    const rewards = [{ passed: 15, reward: 0.2 }, { tests: 0.7 }, { passed: 3, reward: 1 }];
    await own.record(rewards.map((each, number) => ({ ...state(number), rewards: each })));
    const found = await own.list({ order: "reward" });
    expect(found.map((each) => each.rewards)).toEqual([rewards[2], rewards[1], rewards[0]]);
  });

  it.each<[StateQuery, RegExp]>([
    [{ tool: "Read" }, /SEARCH toolUses (?:EXISTS )?USING COVERING INDEX/u],
    [
      { reward: { name: "score", min: 100 } },
      /SEARCH rewardValues (?:EXISTS )?USING PRIMARY KEY \(stateRow=\? AND name=\?\)/u,
    ],
    [{ text: "other" }, /SCAN bodyWords (?:EXISTS )?VIRTUAL TABLE INDEX/u],
  ])("looks up %j state by state, so that a page of what most have costs by its length", async (query, step) => {
    const among = selectAmongFirst(database.db, { ...query, limit: 50 });
    const steps = await among.explain<{ detail: string }>(undefined, sql`query plan`);
    expect(steps.map(({ detail }) => detail).join("\n")).toMatch(step);
    expect((await among.execute()).length).toBe(50);
  });

  it("gives the same pages whether few or most states fit, and however far on", async () => {
    const asked: StateQuery[] = [
      ...["Read", "Bash", "None"].map((tool) => ({ tool })),
      ...["other", "seventh", "nowhere", "--"].map((text) => ({ text })),
      ...[{}, { max: 40 }, { min: 9000 }].map((bounds) => ({ reward: { name: "score", ...bounds } })),
      { tool: "Read", text: "other", reward: { name: "score" }, outcome: "failed" },
      { tool: "Bash", since: 1_700_000_000_000, until: 1_700_000_400_000 },
    ];
    const pages = asked.flatMap((query) =>
      (["newest", "oldest", "cost"] as const).flatMap((order) =>
        [0, 9990].map((offset) => ({ ...query, order, offset, limit: 20 })),
      ),
    );
    for (const page of pages) {
      expect([page, await listStates(database.db, page)]).toEqual([
        page,
        await selectStates(database.db, page).execute(),
      ]);
    }
  });

  it("passes over the states of a kind in an index alone, and begins anywhere in it", async () => {
    const place = { value: 0.5, recordedAtMs: 1_700_000_000_000, depth: 3, id: "x" };
    const indices = { newest: "ByTime", oldest: "ByTime", cost: "ByCost", duration: "ByDuration", reward: "ByReward" };
    for (const [order, name] of Object.entries(indices)) {
      const query = { kind: "turn", order: order as "newest", limit: 50, offset: 5000 } as const;
      for (const [given, how] of [
        [query, "(kind=?)"],
        [{ ...query, after: place }, "(kind=? AND "],
      ] as const) {
        const steps = await selectPlaces(database.db, given).explain<{ detail: string }>(undefined, sql`query plan`);
        expect(steps.map(({ detail }) => detail).join("\n")).toContain(
          `SEARCH states USING COVERING INDEX statesOfKind${name} ${how}`,
        );
      }
    }
  });

  it("gives places one after the other in every order, from any place and up to any", async () => {
    const orders = ["newest", "oldest", "cost", "duration", "reward"] as const;
    const filters: readonly StateQuery[] = [
      { kind: "turn" },
      { tool: "Bash" },
      { reward: { name: "score", min: 400 } },
    ];
    for (const query of orders.flatMap((order) => filters.map((filter) => ({ ...filter, order })))) {
      const all = await index.places(query);
      const ids = (await index.list(query)).map(({ id }) => id);
      expect([query, all.map(({ id }) => id)]).toEqual([query, ids]);
      const [from, to] = [all[700], all[1200]];
      const some = await index.places({ ...query, after: from, through: to });
      expect([query, some]).toEqual([query, all.slice(701, 1201)]);
      expect(await index.places({ ...query, after: from, limit: 7, offset: 3 })).toEqual(all.slice(704, 711));
      expect(await index.count({ ...query, after: from, through: to })).toBe(some.length);
      expect(await index.count({ ...query, without: ids.slice(0, 10) })).toBe(all.length - 10);
    }
  });

  it("sums without reading bodies", async () => {
    const steps = await selectTotals(database.db, {}).explain<{ detail: string }>(undefined, sql`query plan`);
    expect(steps.map(({ detail }) => detail)).toEqual(["SCAN states"]);
    expect(await index.totals({ text: "seventh" })).toMatchObject({ states: Math.ceil(COUNT / 7) });
    expect(await index.totals()).toEqual({
      states: COUNT,
      turns: COUNT,
      costUsd: 49.995,
      offlineCostUsd: 0,
      inputTokens: COUNT,
      outputTokens: COUNT,
      cacheReadTokens: COUNT,
      cacheWriteTokens: COUNT,
      durationMs: COUNT,
    });
  });

  it.each([
    [[[-8.64e15, 8.64e15]]],
    [
      [
        [0, 1_700_000_100_000],
        [1_700_000_100_000, 1_700_000_200_000],
      ],
    ],
  ] as const)("sums up figures of %j from indices that hold all that they need", async (spans) => {
    const statements = figureStatements({ spans }, await readKeys(database.db));
    const used = Object.entries(statements).map(async ([name, statement]) => {
      const { sql: text, parameters } = statement.compile(database.db);
      const explained = await database.db.executeQuery<{ detail: string }>({
        ...statement.compile(database.db),
        sql: `explain query plan ${text}`,
        parameters,
      });
      const tables = explained.rows.map(({ detail }) => detail).filter((step) => /states|toolUses|rewardV/u.test(step));
      return [name, tables];
    });
    const byTime = (table: string, name: string, keys: string): string =>
      `SEARCH ${table} USING COVERING INDEX ${name} (${keys} AND recordedAtMs>? AND recordedAtMs<?)`;
    expect(Object.fromEntries(await Promise.all(used))).toEqual({
      turns: [byTime("states", "turnsByTime", "model=?")],
      tools: [byTime("toolUses", "toolUsesByTime", "model=? AND tool=?")],
      rewards: [
        byTime("rewardValues", "rewardsByTime", "model=? AND name=?"),
        "SEARCH states USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      branches:
        spans.length === 1
          ? ["SEARCH states USING COVERING INDEX turnsByParent (parentId>?)"]
          : ["SEARCH states USING INDEX statesByTime (recordedAtMs>? AND recordedAtMs<?)"],
    });
  });

  it("divides turns among agents from one index that holds all that it needs", async () => {
    const statement = shareStatement({ spans: [[0, 8.64e15]] }, ["main"]).compile(database.db);
    const text = `explain query plan ${statement.sql}`;
    const { rows } = await database.db.executeQuery<{ detail: string }>({ ...statement, sql: text });
    expect(rows.map(({ detail }) => detail).filter((step) => step.includes("agentShares"))).toEqual([
      "SEARCH agentShares USING COVERING INDEX agentSharesByTime (agent=? AND recordedAtMs>? AND recordedAtMs<?)",
    ]);
    expect(await index.shares({ spans: [[0, 8.64e15]] })).toMatchObject([{ agent: "main", turns: COUNT }]);
  });

  it("lists conversations", async () => {
    const conversations = await index.conversations({ limit: 2, offset: 1 });
    expect(conversations.map(({ id, turns, firstPrompt }) => [id, turns, firstPrompt])).toEqual([
      ["conversation-498", 20, state(9960).turn?.prompt],
      ["conversation-497", 20, state(9940).turn?.prompt],
    ]);
  });

  it("sums up searches from one index that holds all that it needs", async () => {
    const statement = selectSearches({ limit: 50, offset: 0 }).compile(database.db);
    const text = `explain query plan ${statement.sql}`;
    const { rows } = await database.db.executeQuery<{ detail: string }>({ ...statement, sql: text });
    const steps = rows.map(({ detail }) => detail).filter((step) => step.includes("states"));
    expect(steps).toEqual([
      "SEARCH states USING COVERING INDEX statesBySearch (searchId>?)",
      "SEARCH states USING COVERING INDEX statesBySearch (searchId=?)",
      "SEARCH states USING COVERING INDEX statesBySearch (searchId=?)",
    ]);
  });

  it("keeps its full text right when states are replaced and removed", async () => {
    const changed = Array.from({ length: 300 }, (_, number) => state(number * 3, "replaced"));
    await index.record(changed);
    await index.remove(changed.slice(0, 100).map(({ id }) => id));
    expect(await index.totals({ text: "replaced" })).toMatchObject({ states: 200 });
    expect(await index.totals()).toMatchObject({ states: COUNT - 100 });
    // FTS5 compares what it knows with the bodies, and throws where they differ.
    await sql`insert into bodyWords (bodyWords, rank) values ('integrity-check', 1)`.execute(database.db);
  });
});

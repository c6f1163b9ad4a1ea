import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { microUsd } from "../../core/internal.ts";
import { openStateIndex } from "./open-state-index.ts";
import type { IndexedState, IndexedTurn, StateQuery } from "./state-index.ts";

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-index-"));
  path = join(root, "index.sqlite");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The id of the state with this number. */
const id = (number: number): string => number.toString(16).padStart(8, "0").repeat(5);

const TURN: Omit<IndexedTurn, "transitionId"> = {
  prompt: "Add a test",
  response: "Done.",
  sessionId: "session",
  model: "claude-opus-4-5",
  outcome: "completed",
  costUsd: 0.1,
  inputTokens: 1,
  outputTokens: 20,
  cacheReadTokens: 300,
  cacheWriteTokens: 4000,
  durationMs: 1234.5,
  tools: [],
  filesCreated: 1,
  filesModified: 2,
  filesDeleted: 3,
};

interface Given extends Partial<Omit<IndexedState, "turn">> {
  readonly turn?: Partial<IndexedTurn>;
}

function state(number: number, { turn, ...rest }: Given = {}): IndexedState {
  const base = { id: id(number), conversationId: "one", recordedAtMs: 1000 * number, depth: number, rewards: {} };
  if (turn === undefined) return { ...base, kind: "edit", ...rest };
  return { ...base, kind: "turn", ...rest, turn: { ...TURN, transitionId: `transition-${number}`, ...turn } };
}

const ids = (states: readonly IndexedState[]): readonly number[] =>
  states.map((one) => Number.parseInt(one.id.slice(0, 8), 16));

describe("a state", () => {
  it("is given back as it was put", async () => {
    const states: readonly IndexedState[] = [
      state(1, { kind: "start" }),
      state(2, { parentId: id(1), turn: {} }),
      state(3, {
        parentId: id(2),
        rewards: { tests: 0.1 + 0.2, style: -1, 'no "name"': 1e300 },
        turn: {
          prompt: "ünïcode 🧵 'quotes' \"and\" more",
          response: "x".repeat(100_000),
          outcome: "failed",
          errorKind: "rate_limit",
          stopReason: "end_turn",
          scenario: "todo",
          tools: [
            { tool: "Write", calls: 2, errors: 1 },
            { tool: "Bash", calls: 1, errors: 0 },
          ],
        },
      }),
    ];
    await using index = await openStateIndex(path);
    await index.record(states);
    expect(await index.list({ order: "oldest" })).toEqual(states);
    expect(await Promise.all([1, 2, 3, 4].map((number) => index.get(id(number))))).toEqual([...states, undefined]);
    expect(await index.byTransition("transition-3")).toEqual(states[2]);
    expect(await index.byTransition("transition-4")).toBeUndefined();
  });

  it("is kept when the index is closed and opened again", async () => {
    const index = await openStateIndex(path);
    await index.record([state(1, { turn: {} })]);
    await Promise.all([index.close(), index.close()]);
    await expect(index.get(id(1))).rejects.toMatchObject({ kind: "usage" });
    await using again = await openStateIndex(path);
    expect(ids(await again.list())).toEqual([1]);
  });

  it("is replaced with all that hangs on it when it is put again", async () => {
    await using index = await openStateIndex(path);
    const tools = [{ tool: "Bash", calls: 1, errors: 0 }];
    await index.record([state(1, { rewards: { a: 1 }, turn: { prompt: "old words", tools } }), state(2, { turn: {} })]);
    const changed = state(1, { rewards: { b: 2 }, turn: { prompt: "new words", costUsd: 3 } });
    await index.record([state(1, { turn: { prompt: "passed over" } }), changed]);
    expect(await index.get(id(1))).toEqual(changed);
    const found = async (query: StateQuery) => ids(await index.list(query));
    expect(await found({ text: "old" })).toEqual([]);
    expect(await found({ text: "passed" })).toEqual([]);
    expect(await found({ text: "new" })).toEqual([1]);
    expect(await found({ tool: "Bash" })).toEqual([]);
    expect(await found({ reward: { name: "a" } })).toEqual([]);
    expect(await found({ reward: { name: "b" } })).toEqual([1]);
    expect((await index.totals()).costUsd).toBe(3.1);
  });

  it("is removed with all that hangs on it", async () => {
    await using index = await openStateIndex(path);
    const tools = [{ tool: "Bash", calls: 1, errors: 0 }];
    await index.record(
      [1, 2, 3].map((number) => state(number, { rewards: { a: 1 }, turn: { prompt: "word", tools } })),
    );
    await index.remove([id(1), id(3), id(9)]);
    await index.remove([]);
    for (const query of [{}, { text: "word" }, { tool: "Bash" }, { reward: { name: "a" } }]) {
      expect(ids(await index.list(query))).toEqual([2]);
    }
  });

  it("can be given rewards later, and an unknown one cannot", async () => {
    await using index = await openStateIndex(path);
    await index.record([state(1, { rewards: { a: 1, b: 1 } })]);
    await index.setNote(id(1), { rewards: { b: 2 } });
    await index.setNote(id(2), { rewards: { b: 2 } });
    expect(await index.list()).toEqual([state(1, { rewards: { b: 2 } })]);
    expect(await index.list({ reward: { name: "a" } })).toEqual([]);
    expect(ids(await index.list({ reward: { name: "b", min: 2 } }))).toEqual([1]);
  });

  it("is listed by its id", async () => {
    await using index = await openStateIndex(path);
    const numbers = [0xab000001, 0xab000002, 0xac000001];
    await index.record(numbers.map((number) => state(number)));
    expect((await index.ids()).toSorted()).toEqual(numbers.map((number) => id(number)));
  });

  it("shows a replacement character for a NUL, after which SQLite would give nothing", async () => {
    await using index = await openStateIndex(path);
    await index.record([state(1, { turn: { prompt: "before\0after" } })]);
    expect((await index.get(id(1)))?.turn?.prompt).toBe("before\u{FFFD}after");
    expect(ids(await index.list({ text: "after" }))).toEqual([1]);
  });
});

describe("a list", () => {
  const states: readonly IndexedState[] = [
    state(1, { kind: "start" }),
    state(2, { rewards: { tests: 0.5 }, turn: { costUsd: 0.3, prompt: "fix the login page", tools: [tool("Bash")] } }),
    state(3, { rewards: { tests: 1 }, turn: { costUsd: 0.1, outcome: "failed", response: "The page is broken" } }),
    state(4, { conversationId: "two", rewards: { style: 9 }, turn: { costUsd: 0.2, outcome: "cancelled" } }),
    state(5, { turn: { costUsd: 0.2, outcome: "interrupted", tools: [tool("Bash"), tool("Read"), tool("Bash")] } }),
    state(6),
  ];

  function tool(name: string) {
    return { tool: name, calls: 1, errors: 0 };
  }

  it.each<[StateQuery, readonly number[]]>([
    [{}, [6, 5, 4, 3, 2, 1]],
    [{ order: "oldest" }, [1, 2, 3, 4, 5, 6]],
    [{ order: "cost" }, [2, 5, 4, 3, 6, 1]],
    [{ order: "reward" }, [4, 3, 2, 6, 5, 1]],
    [{ order: "reward", reward: { name: "tests" } }, [3, 2]],
    [{ limit: 2 }, [6, 5]],
    [{ limit: 2, offset: 3 }, [3, 2]],
    [{ offset: 4 }, [2, 1]],
    [{ limit: 0 }, []],
    [{ conversationId: "two" }, [4]],
    [{ kind: "turn" }, [5, 4, 3, 2]],
    [{ since: 2000, until: 4000 }, [3, 2]],
    [{ minCostUsd: 0.2 }, [5, 4, 2]],
    [{ maxCostUsd: 0.2, kind: "turn" }, [5, 4, 3]],
    [{ tool: "Bash" }, [5, 2]],
    [{ tool: "bash" }, []],
    [{ text: "page" }, [3, 2]],
    [{ text: "login fix*" }, [2]],
    [{ text: '"page login"' }, []],
    [{ text: " " }, [6, 5, 4, 3, 2, 1]],
    [{ text: '"-*' }, []],
    [{ outcome: "failed" }, [3]],
    [{ isError: true }, [5, 3]],
    [{ isError: false }, [4, 2]],
    [{ reward: { name: "tests", min: 0.6 } }, [3]],
    [{ reward: { name: "tests", min: 0.5, max: 0.5 } }, [2]],
    [{ text: "page", tool: "Bash", minCostUsd: 0.3, reward: { name: "tests" }, isError: false, since: 0 }, [2]],
  ])("of %j", async (query, expected) => {
    await using index = await openStateIndex(path);
    await index.record(states);
    expect(ids(await index.list(query))).toEqual(expected);
    const { order: _order, limit: _limit, offset: _offset, ...filter } = query;
    expect((await index.totals(query)).states).toBe((await index.list(filter)).length);
  });

  it("has states of one moment in the order of their path", async () => {
    await using index = await openStateIndex(path);
    await index.record([3, 1, 2].map((number) => state(number, { recordedAtMs: 7 })));
    expect(ids(await index.list({ order: "oldest" }))).toEqual([1, 2, 3]);
    expect(ids(await index.list())).toEqual([3, 2, 1]);
  });
});

describe("totals", () => {
  it("are exact", async () => {
    await using index = await openStateIndex(path);
    expect(await index.totals()).toEqual({
      states: 0,
      turns: 0,
      costUsd: 0,
      offlineCostUsd: 0,
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      durationMs: 0,
    });
    await index.record([
      state(0, { kind: "start" }),
      ...Array.from({ length: 10 }, (_, n) => state(n + 1, { turn: {} })),
    ]);
    expect(await index.totals()).toEqual({
      states: 11,
      turns: 10,
      costUsd: 1,
      offlineCostUsd: 0,
      inputTokens: 10,
      outputTokens: 200,
      cacheReadTokens: 3000,
      cacheWriteTokens: 40_000,
      durationMs: 12_345,
    });
  });
});

describe("conversations", () => {
  it("are summed up, the one changed last first", async () => {
    await using index = await openStateIndex(path);
    await index.record([
      state(1, { kind: "start" }),
      state(2, { kind: "start", conversationId: "two" }),
      state(3, { turn: { prompt: "first", costUsd: 0.1 } }),
      state(4, { turn: { prompt: "second", costUsd: 0.2, outcome: "failed" } }),
      state(5, { turn: { prompt: "played", costUsd: 0.25, scenario: "todo", outcome: "failed" } }),
      state(9, { kind: "start", conversationId: "three" }),
    ]);
    const [three, one, two] = [
      { id: "three", firstPrompt: "", turns: 0, costUsd: 0, offlineCostUsd: 0, createdAtMs: 9000, updatedAtMs: 9000 },
      {
        id: "one",
        firstPrompt: "first",
        turns: 3,
        costUsd: 0.3,
        offlineCostUsd: 0.25,
        createdAtMs: 1000,
        updatedAtMs: 5000,
        lastOutcome: "failed",
      },
      { id: "two", firstPrompt: "", turns: 0, costUsd: 0, offlineCostUsd: 0, createdAtMs: 2000, updatedAtMs: 2000 },
    ];
    expect(await index.conversations()).toEqual([three, one, two]);
    expect(await index.conversations({ limit: 1, offset: 1 })).toEqual([one]);
  });
});

describe("a turn that names very many tools, rewards and sub-agents", () => {
  it("is taken in whole, beside others", async () => {
    await using index = await openStateIndex(path);
    const names = Array.from({ length: 9000 }, (_, number) => `name ${number}`);
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const many = {
      ...state(1, { turn: { tools: names.map((tool) => ({ tool, calls: 1, errors: 0 })) } }),
      rewards: Object.fromEntries(names.map((name) => [name, 1])),
      shares: names.map((agent) => ({ agent, costMicroUsd: microUsd(0), usage })),
    };
    await index.record([many, state(2, { turn: {} })]);
    expect(ids(await index.list({ tool: "name 8999" }))).toEqual([1]);
    expect(ids(await index.list({ reward: { name: "name 8999" } }))).toEqual([1]);
    expect(await index.shares({ spans: [[0, 9e15]] })).toHaveLength(9001);
  });
});

describe("searches", () => {
  it("are summed up with the best of their turns, the one that recorded a turn last first", async () => {
    await using index = await openStateIndex(path);
    const of = (searchId: string) => ({ turn: { searchId, prompt: `of ${searchId}`, costUsd: 0.1 } });
    const [best, played] = [state(3, of("a")), state(5, of("a"))];
    await index.record([
      state(1, { turn: {} }),
      { ...state(2, of("a")), rewards: { tests: 1 } },
      { ...best, rewards: { tests: 1, speed: 7 } },
      state(4, { turn: { ...of("b").turn, outcome: "failed" } }),
      { ...played, rewards: { tests: 7 }, turn: { ...played.turn!, scenario: "todo", outcome: "interrupted" } },
    ]);
    const sums = { offlineCostUsd: 0, turns: 1, failed: 1, costUsd: 0.1 };
    const [a, b] = [
      {
        id: "a",
        firstPrompt: "of a",
        turns: 3,
        failed: 1,
        costUsd: 0.2,
        offlineCostUsd: 0.1,
        createdAtMs: 2000,
        updatedAtMs: 5000,
        best: { reward: 7, stateId: best.id },
      },
      { ...sums, id: "b", firstPrompt: "of b", createdAtMs: 4000, updatedAtMs: 4000 },
    ];
    expect(await index.searches()).toEqual([a, b]);
    expect(await index.searches({ limit: 1, offset: 1 })).toEqual([b]);
    await index.remove([best.id]);
    expect((await index.searches())[0]?.best).toEqual({ reward: 7, stateId: played.id });
  });
});

describe("refs", () => {
  it("are noted, changed and taken out, also together with states", async () => {
    await using index = await openStateIndex(path);
    await index.record(
      [],
      new Map([
        ["a", id(1)],
        ["b", id(2)],
      ]),
    );
    await index.record(
      [state(3)],
      new Map([
        ["a", id(3)],
        ["b", undefined],
        ["c", undefined],
      ]),
    );
    expect(await index.refs()).toEqual(new Map([["a", id(3)]]));
    expect(ids(await index.list())).toEqual([3]);
  });

  it("are not noted where their states could not be", async () => {
    await using index = await openStateIndex(path);
    const impossible = state(2, { recordedAtMs: 0.5 });
    await expect(index.record([state(1), impossible], new Map([["a", id(1)]]))).rejects.toMatchObject({
      kind: "runtime",
    });
    expect([await index.refs(), await index.list()]).toEqual([new Map(), []]);
  });

  it("are forgotten with the states when all is cleared", async () => {
    await using index = await openStateIndex(path);
    await index.record([state(1, { turn: {} })], new Map([["a", id(1)]]));
    await index.clear();
    expect([await index.refs(), await index.list(), await index.list({ text: "test" })]).toEqual([new Map(), [], []]);
  });
});

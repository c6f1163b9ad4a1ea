import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { openStateIndex } from "./open-state-index.ts";
import type { OpenStores } from "./open-stores.ts";
import type { IndexedState, StateIndex, StateQuery } from "./state-index.ts";
import { createStateReader } from "./state-reader.ts";

const ORDERS = ["newest", "oldest", "cost", "duration", "reward"] as const;

let root: string;
let indices: readonly StateIndex[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-reader-"));
  indices = await Promise.all([0, 1, 2].map((at) => openStateIndex(join(root, `${at}.sqlite`))));
});

afterAll(async () => {
  for (const index of indices) await index.close();
  rmSync(root, { recursive: true, force: true });
});

/** Stores whose indices these are. */
const stores: OpenStores = {
  async ask({ among = () => true, ask }, work) {
    const found = indices
      .map((index, at) => ({ index, store: { workspace: `/${at}`, home: `${at}`, gitDirectory: "" }, without: [] }))
      .filter(({ store }) => among(store));
    const answers = [];
    for (const each of found) answers.push(await ask(each));
    return await work(answers, []);
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

interface Drawn {
  readonly store: number;
  readonly second: number;
  readonly cost: number;
  readonly reward: number | undefined;
}

function state({ second, cost, reward }: Drawn, number: number): IndexedState {
  return {
    id: number.toString(16).padStart(40, "0"),
    kind: "turn",
    conversationId: `conversation-${number % 7}`,
    recordedAtMs: 1000 * second,
    depth: number % 3,
    rewards: reward === undefined ? {} : { score: reward },
    turn: {
      transitionId: `transition-${number}`,
      searchId: `search-${Math.floor(number / 10)}`,
      prompt: `prompt ${number % 5}`,
      response: "done",
      sessionId: "session",
      model: "model",
      outcome: "completed",
      costUsd: cost,
      inputTokens: 1,
      outputTokens: 1,
      cacheReadTokens: 1,
      cacheWriteTokens: 1,
      durationMs: cost * 10,
      tools: [],
      filesCreated: 0,
      filesModified: 0,
      filesDeleted: 0,
    },
  };
}

const drawn = fc.record({
  store: fc.constantFrom(0, 0, 0, 1, 2),
  second: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 1_000_000 })),
  cost: fc.integer({ min: 0, max: 9 }),
  reward: fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }),
});

describe("the states of several workspaces", () => {
  it("are one list in every order: page after page by place, and from any offset", async () => {
    const reader = createStateReader(stores);
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { minLength: 1, maxLength: 900, size: "max" }),
        fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 3, maxLength: 3 }),
        async (given, offsets) => {
          const states = given.map(state);
          for (const [at, index] of indices.entries()) {
            await index.clear();
            await index.record(states.filter((_, number) => given[number]?.store === at));
          }
          for (const order of ORDERS) {
            const wanted = sorted(states, order).map(({ id }) => id);
            for (const offset of offsets) {
              const page = await reader.read({ kind: "turn", order, limit: 20, offset, isCounted: true });
              const ids = page.states.map((each) => each.state.id);
              expect([order, offset, ids]).toEqual([order, offset, wanted.slice(offset, offset + 20)]);
              expect([page.count, page.hasMore]).toEqual([states.length, states.length > offset + 20]);
              const after = page.states[4]?.place;
              if (!after) continue;
              const rest = await reader.read({ order, limit: 30, offset: 250, after });
              const next = rest.states.map((each) => each.state.id);
              expect([order, next]).toEqual([order, wanted.slice(offset + 255, offset + 285)]);
            }
          }
        },
      ),
      { numRuns: propertyRuns({ few: 8, all: 60 }) },
    );
  });

  it("are found by what is asked for, of the workspaces that are asked for, and have conversations and searches", async () => {
    for (const [at, index] of indices.entries()) {
      await index.clear();
      const own = Array.from({ length: 20 }, (_, number) => 20 * at + number);
      await index.record(own.map((number) => state({ store: at, second: number, cost: 1, reward: undefined }, number)));
    }
    const reader = createStateReader(stores);
    const found = await reader.read({ text: "3", order: "oldest", limit: 3, offset: 2, isCounted: true });
    expect(found.states.map(({ store, state: { recordedAtMs } }) => [store.workspace, recordedAtMs / 1000])).toEqual([
      ["/0", 13],
      ["/0", 18],
      ["/1", 23],
    ]);
    expect([found.count, found.hasMore]).toEqual([12, true]);
    const second = await reader.read({ among: ({ workspace }) => workspace === "/1", limit: 50, isCounted: true });
    expect([second.states.length, second.count, second.hasMore]).toEqual([20, 20, false]);
    expect(await reader.read({ limit: 5, offset: 90 })).toMatchObject({ states: [], hasMore: false, count: undefined });
    const { found: conversations } = await reader.conversations({ limit: 3, offset: 1 });
    expect(conversations.map(({ store, summary }) => [store.workspace, summary.id])).toEqual([
      ["/2", "conversation-2"],
      ["/2", "conversation-1"],
      ["/2", "conversation-0"],
    ]);
    const { found: searches } = await reader.searches({ limit: 3, offset: 1 });
    expect(searches.map(({ store, summary }) => [store.workspace, summary.id])).toEqual([
      ["/2", "search-4"],
      ["/1", "search-3"],
      ["/1", "search-2"],
    ]);
  });
});

function sorted(states: readonly IndexedState[], order: NonNullable<StateQuery["order"]>): readonly IndexedState[] {
  const value = ({ turn, rewards }: IndexedState): number => {
    if (order === "cost") return turn?.costUsd ?? 0;
    if (order === "duration") return turn?.durationMs ?? 0;
    return order === "reward" ? (rewards["score"] ?? -Infinity) : 0;
  };
  const sign = order === "oldest" ? 1 : -1;
  return states.toSorted((left, right) => {
    const [one, other] = [value(left), value(right)];
    if (one !== other) return sign * (one < other ? -1 : 1);
    const later = left.recordedAtMs - right.recordedAtMs || left.depth - right.depth;
    return sign * (later || (left.id < right.id ? -1 : 1));
  });
}

import { describe, expect, it } from "vitest";
import { conversationPath, numberOf, placeAt, replayLength } from "./replay.ts";
import { searchTurns } from "./search-turns.ts";

describe("a replay", () => {
  const turns = [
    { stateId: "a", calls: 2 },
    { stateId: "b", calls: 0 },
    { stateId: "c", calls: 1 },
  ];

  it("has a place before the first call of each turn, after each call, and at each end", () => {
    const places = Array.from({ length: replayLength(turns) }, (_, number) => placeAt(turns, number));
    expect(places.map((place) => `${place?.stateId}${place?.step ?? "."}`)).toEqual([
      "a0",
      "a1",
      "a.",
      "b.",
      "c0",
      "c.",
    ]);
    expect(places.map((place) => place && numberOf(turns, place))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("ends at its ends", () => {
    expect([placeAt(turns, -5), placeAt(turns, 99), placeAt([], 0)]).toEqual([
      { stateId: "a", step: 0 },
      { stateId: "c", step: undefined },
      undefined,
    ]);
    expect(numberOf(turns, { stateId: "a", step: 99 })).toBe(2);
    expect(numberOf(turns, { stateId: "gone", step: 1 })).toBe(0);
  });

  it("goes through the states before, and after by the newest way on", () => {
    const state = (id: string, parent: string | null, minute: number) => ({
      state_id: id,
      parent_id: parent,
      recorded_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    });
    const states = [
      state("a", null, 0),
      state("b", "a", 1),
      state("c", "b", 2),
      state("old", "c", 3),
      state("new", "c", 4),
    ];
    const path = (id: string): string =>
      conversationPath(states, id)
        .map(({ state_id: each }) => each)
        .join(" ");
    expect([path("b"), path("old"), path("new"), path("gone")]).toEqual(["a b c new", "a b c old", "a b c new", ""]);
    expect(conversationPath([state("x", "y", 0), state("y", "x", 1)], "x").map(({ state_id: id }) => id)).toEqual([
      "y",
      "x",
    ]);
  });
});

it("puts the turns of a search below those that they go on from, and marks the best", () => {
  const line = (type: string, id: number, parent: number, more = {}) => ({
    line: id,
    event: { type, id, parent_id: parent, depth: parent === 0 ? 1 : 2, prompt: `p${id}`, attempt: 1, ...more },
  });
  const turns = searchTurns([
    line("branch-start", 1, 0),
    line("branch-start", 2, 0),
    line("branch-end", 1, 0, { state_id: "s1", reward: { value: 0.5 }, cost_usd: 1, duration_ms: 2 }),
    line("branch-start", 3, 1),
    line("branch-end", 3, 1, { error: { message: "broke" } }),
    { line: 9, event: { type: "search-end", best: 1 } },
  ]);
  expect(turns.map(({ id, state, isBest, reward, error }) => ({ id, state, isBest, reward, error }))).toEqual([
    { id: 1, state: "completed", isBest: true, reward: 0.5, error: undefined },
    { id: 3, state: "failed", isBest: false, reward: undefined, error: "broke" },
    { id: 2, state: "running", isBest: false, reward: undefined, error: undefined },
  ]);
});

import { expect, it } from "vitest";
import { betterSides, hasBetter, type Side } from "./compare-sides.ts";

function side(figures: Partial<Side>, rewards: Readonly<Record<string, number>> = {}): Side {
  return {
    state: {
      state_id: "a",
      parent_id: null,
      kind: "start",
      conversation_id: "c",
      recorded_at: "2026-01-01T00:00:00.000Z",
      checkpoints: [],
      is_here: false,
      rewards: { ...rewards },
      turn: null,
    },
    turns: 1,
    cost_usd: 0,
    offline_cost_usd: 0,
    includes_offline: false,
    duration_ms: 10,
    tokens: 10,
    tools: [],
    files: { created: [], modified: [], deleted: [], renamed: [] },
    lines_added: 0,
    lines_removed: 0,
    ...figures,
  };
}

it("takes more reward and less of what it took for the better", () => {
  const tools = [{ tool: "Bash", calls: 3, errors: 2 }];
  const left = side({ cost_usd: 0.2, duration_ms: 5, tools }, { reward: 0.5, tests: 1, own: 1 });
  const right = side({ cost_usd: 0.1, duration_ms: 9, tokens: 5 }, { reward: 0.7, tests: 1 });
  expect(betterSides(left, right)).toEqual({
    rewards: { reward: "right", own: null, tests: null },
    cost_usd: "right",
    duration_ms: "left",
    tokens: "right",
    tool_errors: "right",
  });
});

it("finds no merit in a state that took no turn, because the other one came from it", () => {
  const origin = side({ turns: 0, duration_ms: 0, tokens: 0 }, { reward: 0.2 });
  const later = side({ cost_usd: 0.1, tools: [{ tool: "Bash", calls: 1, errors: 1 }] }, { reward: 0.5 });
  expect(betterSides(origin, later)).toEqual({
    rewards: { reward: "right" },
    cost_usd: null,
    duration_ms: null,
    tokens: null,
    tool_errors: null,
  });
});

it("compares what nobody paid for by the price list, and stars nothing where both are equal", () => {
  const offline = betterSides(side({ offline_cost_usd: 0.2 }), side({ offline_cost_usd: 0.3 }));
  expect(offline.cost_usd).toBe("left");
  const equal = betterSides(side({}), side({}));
  expect([hasBetter(offline), hasBetter(equal)]).toEqual([true, false]);
});

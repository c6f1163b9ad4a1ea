import { expect, it } from "vitest";
import { rankBranches, type Ranked } from "./rank-branches.ts";

/** States as `child<parent`, with what they are rewarded, or with a name. */
function states(...told: readonly (readonly [string, (number | "named")?])[]): readonly Ranked[] {
  return told.map(([state, reward]) => {
    const [id = "", parentId] = state.split("<");
    const isNamed = reward === "named";
    return { id, parentId, isNamed, reward: typeof reward === "number" ? reward : undefined };
  });
}

it("puts the branch that reaches the best reward first, and follows it", () => {
  const tree = states(["a"], ["b<a", 0.5], ["c<a", 0.1], ["d<c", 0.9], ["e<d"], ["f<a"]);
  const { roots, childrenOf, bestPath } = rankBranches(tree, { isFolded: true });
  expect([roots, childrenOf("a"), bestPath]).toEqual([["a"], ["c", "b", "f"], ["a", "c", "d"]]);
});

it("prefers the cheaper one of equal rewards, and a beginning to what goes on from it", () => {
  const costs: Readonly<Record<string, number>> = { b: 0.3, c: 0.1, d: 0.1, e: 0.1 };
  const tree = states(["a"], ["b<a", 1], ["c<a"], ["d<c", 1], ["e<d", 1]).map((state) => {
    const costUsd = costs[state.id];
    return costUsd === undefined ? state : { ...state, costUsd };
  });
  const { childrenOf, bestPath } = rankBranches(tree, { isFolded: true });
  expect([childrenOf("a"), bestPath]).toEqual([
    ["c", "b"],
    ["a", "c", "d"],
  ]);
});

it("knows no best path where nothing was rewarded, and begins at a state whose parent is not among them", () => {
  const { roots, childrenOf, bestPath } = rankBranches(states(["b<a"], ["c<b"]), { isFolded: true });
  expect([roots, childrenOf("b"), bestPath]).toEqual([["b"], ["c"], []]);
});

const wide = states(["top"], ...Array.from({ length: 9 }, (_, at) => [`s${at}<top`, at / 10] as const), [
  "deep<s0",
  "named",
]);

it("folds the lesser ones of many branches, but none with a name in it", () => {
  const { childrenOf, foldOf } = rankBranches(wide, { isFolded: true });
  expect(childrenOf("top")).toEqual(["s8", "s7", "s6", "s5", "s4", "s0"]);
  expect(foldOf("top")).toEqual({ parentId: "top", branches: 3, bestReward: 0.3 });
  expect(rankBranches(wide, { isFolded: false }).childrenOf("top")).toHaveLength(9);
  expect(rankBranches(wide.slice(0, 7), { isFolded: true }).foldOf("top")).toBeUndefined();
});

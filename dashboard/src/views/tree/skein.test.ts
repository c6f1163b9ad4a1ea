import { describe, expect, it } from "vitest";
import { chainOf, foldChains } from "./fold.ts";
import { layOut, PILL } from "./layout.ts";
import { neighbour } from "./neighbours.ts";
import { findBestPath, rewardNames, rewardRange } from "./rewards.ts";
import { NOTHING_SHOWN } from "./shown.ts";
import { createSkein, nodeHas, runsToHang, type SkeinNode, type TreeItem } from "./skein.ts";

/** States by their names, each after another: `a`, `b<a`, with a reward `c<a 0.5`. */
function items(...lines: readonly string[]): readonly TreeItem[] {
  return lines.map((line, place) => {
    const [, id = "", parent, reward] = /^(\w+)(?:<(\w+))?(?: (\S+))?$/u.exec(line) ?? [];
    return {
      state_id: id,
      parent_id: parent ?? null,
      kind: parent === undefined ? "start" : "turn",
      conversation_id: "one",
      recorded_at: new Date(place * 1000).toISOString(),
      rewards: reward === undefined ? {} : { tests: Number(reward) },
      prompt: `prompt of ${id}`,
      outcome: "completed",
      cost_usd: 1,
      offline: false,
      duration_ms: 1,
      files_changed: 1,
      search_id: null,
      bookmark: null,
    };
  });
}

const skeinOf = (...lines: readonly string[]) =>
  createSkein({ nodes: [...items(...lines)], head: null, checkpoints: {} });

const FORKED = ["a", "b<a", "c<b", "d<c", "e<d", "f<e", "g<b 0.9", "h<b 0.4"] as const;

const keepNone = () => false;

const foldedOf = (
  lines: readonly string[],
  opened: readonly string[] = [],
  isKept: (node: SkeinNode) => boolean = keepNone,
) =>
  foldChains(skeinOf(...lines), { isKept, opened: new Set(opened), isFolding: true }).all.map(({ id, folded }) =>
    folded.length > 0 ? `${id} ${folded.map((node) => node.id).join("")}` : id,
  );

describe("the skein of a workspace", () => {
  it("hangs states on those before them, the oldest first, a path before the next one", () => {
    const { nodes, roots, byId } = skeinOf(...FORKED, "z");
    expect(nodes.map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e", "f", "g", "h", "z"]);
    expect(roots.map(({ id }) => id)).toEqual(["a", "z"]);
    expect(byId.get("b")?.children.map(({ id }) => id)).toEqual(["c", "g", "h"]);
  });

  it("takes states whose parent is left out for beginnings, and survives one that is its own", () => {
    expect(skeinOf("b<gone", "c<c").roots.map(({ id }) => id)).toEqual(["b", "c"]);
  });

  it("takes a chain of 20,000 states: nothing calls itself for each of them", () => {
    const lines = Array.from({ length: 20_000 }, (_, place) => (place === 0 ? "s0" : `s${place}<s${place - 1}`));
    const skein = skeinOf(...lines);
    const { roots, all } = foldChains(skein, { isKept: keepNone, opened: new Set(), isFolding: true });
    expect(skein.nodes.length).toBe(20_000);
    expect(all.length).toBe(3);
    expect(layOut(roots).placed.length).toBe(3);
    const open = foldChains(skein, { isKept: keepNone, opened: new Set(), isFolding: false });
    expect(layOut(open.roots).placed.length).toBe(20_000);
  });

  it("hangs turns that go on, and those that ended until the tree has their state", () => {
    const run = { run: "r", kind: "turn", workspace: "/w", before_state_id: "a", state: "running", state_id: null };
    const runs = [
      run,
      { ...run, run: "elsewhere", workspace: "/v" },
      { ...run, run: "ended", state: "ended", state_id: "new" },
      { ...run, run: "known", state: "ended", state_id: "b" },
      { ...run, run: "cut off", state: "interrupted" },
      { ...run, run: "from nowhere", before_state_id: "gone" },
    ] as never[];
    expect(runsToHang(runs, "/w", items("a", "b<a")).map(({ run: id }) => id)).toEqual(["r", "ended"]);
  });

  it("finds words in prompts, names and outcomes", () => {
    const node = skeinOf("a", "b<a").byId.get("b");
    expect(["prompt b", "PROMPT completed", "other", ""].map((words) => node && nodeHas(node, words))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("rewards in a tree", () => {
  it("lead to the best state, the first of equals", () => {
    const { best, path } = findBestPath(skeinOf("a", "b<a 0.5", "c<b 0.9", "d<a 0.9"), "tests");
    expect([best?.id, [...path]]).toEqual(["c", ["c", "b", "a"]]);
    expect(findBestPath(skeinOf("a"), undefined).best).toBeUndefined();
  });

  it("are named by how often they are given, and go from 0 to 1 unless one does not", () => {
    const given = items("a", "b<a 0.5", "c<a -2", "d<a 7");
    expect(rewardNames(given)).toEqual(["tests"]);
    expect(rewardRange(given, "tests")).toEqual({ lowest: -2, highest: 7 });
    expect(rewardRange(given.slice(0, 2), "tests")).toEqual({ lowest: 0, highest: 1 });
  });
});

describe("chains without a fork", () => {
  it("are one pill; what begins, ends, forks or comes after a fork stays", () => {
    expect(foldedOf(FORKED)).toEqual(["a", "b", "c", "d", "e", "f", "g", "h"]);
    expect(foldedOf([...FORKED.slice(0, 6), "i<f", "g<b"])).toEqual(["a", "b", "c", "fold:d def", "i", "g"]);
    expect(foldedOf(["a", "b<a", "c<b", "d<c", "e<d"])).toEqual(["a", "fold:b bcd", "e"]);
  });

  it("stay open where somebody opened them, and end at what has a name", () => {
    const chain = ["a", "b<a", "c<b", "d<c", "e<d", "f<e", "g<f", "h<g"];
    expect(foldedOf(chain, ["b"])).toEqual(["a", "b", "c", "d", "e", "f", "g", "h"]);
    expect(foldedOf(chain, [], ({ id }) => id === "e")).toEqual(["a", "fold:b bcd", "e", "f", "g", "h"]);
    const node = skeinOf(...chain).byId.get("d");
    expect(node && chainOf(node, keepNone)).toBe("b");
    const kept = ({ id }: SkeinNode): boolean => id === "c";
    expect(node && chainOf(node, kept)).toBe("d");
  });
});

describe("the layout of a tree", () => {
  const pills = foldChains(skeinOf(...FORKED), { isKept: keepNone, opened: new Set(), isFolding: false });
  const layout = layOut(pills.roots);

  it("puts a state above what came after it, and the newest to the right", () => {
    const at = (id: string) => layout.byId.get(id) ?? { x: 0, y: 0 };
    expect(at("a").y < at("b").y).toBe(true);
    expect(at("c").x < at("g").x && at("g").x < at("h").x).toBe(true);
    expect(at("b").x).toBe(at("g").x);
    expect(Math.min(...layout.placed.map(({ x }) => x))).toBe(0);
  });

  it("lets no two pills touch", () => {
    const gaps = [...layout.rows.values()].flatMap((row) =>
      row.slice(1).map(({ x }, place) => x - (row[place]?.x ?? x)),
    );
    expect(Math.min(...gaps)).toBeGreaterThan(PILL.width);
  });

  it("is walked by arrows: down the best path, else to the newest", () => {
    const skein = skeinOf(...FORKED);
    const shown = { ...NOTHING_SHOWN, bestPath: findBestPath(skein, "tests").path };
    const walk = (from: string, direction: "up" | "down" | "left" | "right", by = shown) =>
      neighbour(pills.byNode.get(from), direction, { layout, pills, shown: by })?.id;
    expect(walk("b", "down")).toBe("g");
    expect(walk("b", "down", NOTHING_SHOWN)).toBe("h");
    expect([walk("g", "left"), walk("g", "right"), walk("g", "up"), walk("h", "right")]).toEqual([
      "c",
      "h",
      "b",
      undefined,
    ]);
    expect(neighbour(undefined, "down", { layout, pills, shown })?.id).toBe("a");
  });
});

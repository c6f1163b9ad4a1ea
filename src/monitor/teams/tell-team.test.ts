import { expect, it } from "vitest";
import { efficiencyOf } from "./efficiency.ts";
import type { TeamLine } from "./team-line.ts";
import { tellTeam } from "./tell-team.ts";

let second = 0;

const at = (): string => new Date(Date.UTC(2026, 10, 19) + (second += 1) * 1000).toISOString();

type Told = TeamLine extends infer Line ? (Line extends TeamLine ? Omit<Line, "timestamp"> : never) : never;

const tell = (...lines: readonly Told[]): readonly TeamLine[] => lines.map((line) => ({ ...line, timestamp: at() }));

const item = (id: string, dependencies: string[] = []) => ({
  id,
  title: id.toUpperCase(),
  description: `Do ${id}.`,
  acceptanceCriteria: [],
  dependencies,
  priority: 3,
  estimatedEffort: "small" as const,
});

const begin = (id: string, attempt = 1): Told => {
  const place = { item: id, worker: 0, attempt, round: 1 };
  return { type: "item-started", ...place, title: id.toUpperCase(), stateId: "base" };
};

interface Try {
  readonly id: string;
  readonly round: number;
  readonly by: "evidence" | "gates" | "manager";
  readonly approved: boolean;
  readonly isReused?: boolean;
}

/** A round from its end to what was said about it; it costs ten cents. */
function round({ id, round: number, by, approved, isReused = false }: Try): readonly Told[] {
  const place = { item: id, worker: 0, attempt: 1, round: number };
  const gates = [{ command: "npm test", passed: by !== "gates", ending: "exit code 1", output: "" }];
  const changes = by === "evidence" ? [] : [{ type: "created", path: `${id}.txt` }];
  const work = { stateId: `${id}-${number}`, conversationId: `c-${id}`, costUsd: 0.1, offline: false, isReused };
  return [
    { type: "worker-finished", ...place, ...work },
    { type: "evidence-gathered", ...place, changes, gates, violations: [], toolErrors: 0 },
    { type: "verdict", ...place, by, verdict: { approved, issues: approved ? [] : ["no"], requiredChanges: [] } },
  ];
}

const merged = (id: string): readonly Told[] => [
  { type: "item-merged", item: id, stateId: `${id}-merged`, wayBack: "before" },
  { type: "item-ended", item: id, status: "merged", reason: "approved" },
];

const START: readonly Told[] = [
  { type: "team-start", isResumed: false },
  { type: "phase-changed", phase: "plan" },
  { type: "plan-made", items: [item("a"), item("b"), item("c", ["a"])], protect: ["*.test.ts"] },
];

const FIRST_ITEM: readonly Told[] = [
  begin("a"),
  ...round({ id: "a", round: 1, by: "gates", approved: false }),
  ...round({ id: "a", round: 2, by: "manager", approved: false }),
  ...round({ id: "a", round: 3, by: "manager", approved: true }),
  ...merged("a"),
];

it("says how well a team works together, by its rounds, who sent them back, and the manager's part of the cost", () => {
  const lines = tell(
    ...START,
    ...FIRST_ITEM,
    begin("b"),
    ...round({ id: "b", round: 1, by: "evidence", approved: false }),
  );
  const story = tellTeam(lines);
  // Four rounds: one approved, and one each sent back by the gates, the manager and the files.
  expect(efficiencyOf({ story, costUsd: 0.5, managerCostUsd: 0.1 })).toEqual({
    rounds: 4,
    approved: 1,
    approvedPerRound: 0.25,
    sentBackByEvidence: 0.25,
    sentBackByGates: 0.25,
    sentBackByManager: 0.25,
    managerCostShare: 0.2,
  });
  expect(efficiencyOf({ story: tellTeam([]), costUsd: 0, managerCostUsd: 0 })).toEqual({ rounds: 0, approved: 0 });
});

it("tells once what a team that was resumed tells again, and begins anew what was cut off", () => {
  const again = [
    begin("a"),
    ...round({ id: "a", round: 1, by: "gates", approved: false, isReused: true }),
    ...round({ id: "a", round: 2, by: "manager", approved: false, isReused: true }),
    ...round({ id: "a", round: 3, by: "manager", approved: true, isReused: true }),
    ...merged("a"),
  ];
  const before = tell(...START, ...FIRST_ITEM, begin("b"));
  const after = tell({ type: "team-start", isResumed: true }, ...START.slice(1), ...again, begin("b"));
  const story = tellTeam([...before, ...after]);
  const once = tellTeam(before);
  expect(story.handoffs).toEqual(once.handoffs);
  expect(story.rounds.slice(0, -1)).toEqual(once.rounds.slice(0, -1));
  expect(story.rounds.map(({ item: id, round: number, by }) => `${id} ${number} ${by ?? "works"}`)).toEqual([
    "a 1 gates",
    "a 2 manager",
    "a 3 manager",
    "b 1 works",
  ]);
  expect(story.rounds.at(-1)?.startedAt).toBe(after.at(-1)?.timestamp);
});

it("puts items that are worked on at once into lanes of their own, and a lane that is free is taken again", () => {
  const story = tellTeam(
    tell(
      ...START,
      begin("a"),
      begin("b"),
      ...round({ id: "a", round: 1, by: "manager", approved: true }),
      ...merged("a"),
      begin("c"),
    ),
  );
  expect(story.rounds.map(({ item: id, lane }) => `${id} ${lane}`)).toEqual(["a 1", "b 2", "c 1"]);
  expect(story.items.map(({ id, status }) => `${id} ${status}`)).toEqual(["a merged", "b working", "c working"]);
});

it("follows an item that is stuck, taken apart by the manager, in conflict with others, or left to a person", () => {
  const remedy = { action: "replan" as const, reason: "too large", approach: "", items: [item("x")] };
  const place = { item: "a", worker: 0, attempt: 1, round: 1 };
  const story = tellTeam(
    tell(
      ...START,
      begin("a"),
      ...round({ id: "a", round: 1, by: "gates", approved: false }),
      { type: "item-stuck", ...place, reason: "nothing changes" },
      { type: "remedy-chosen", item: "a", remedy },
      { type: "item-ended", item: "a", status: "replaced", reason: "too large" },
      begin("b"),
      ...round({ id: "b", round: 1, by: "manager", approved: true }),
      { type: "item-conflict", item: "b", paths: ["base.txt"] },
      ...round({ id: "b", round: 2, by: "gates", approved: false }),
      { type: "escalated", question: { id: "q", kind: "item", item: "b", text: "What becomes of b?\nIt fails." } },
      { type: "answered", questionId: "q", answer: { choice: "skip" } },
      { type: "item-ended", item: "b", status: "skipped", reason: "a person said so" },
      { type: "team-end", result: { outcome: "partial", items: [{ id: "c", status: "blocked", reason: "a" }] } },
    ),
  );
  expect(story.items.map(({ id, status }) => `${id} ${status}`)).toEqual([
    "a replaced",
    "b skipped",
    "c blocked",
    "a.x waiting",
  ]);
  expect(story.items.find(({ id }) => id === "c")?.dependencies).toEqual(["a.x"]);
  expect(story.handoffs.map(({ type, from, to, item: of = "" }) => `${type} ${from} ${to} ${of}`.trim())).toEqual([
    "plan manager team",
    "assigned manager worker-1 a",
    "verdict gates worker-1 a",
    "stuck worker-1 manager a",
    "remedy manager worker-1 a",
    "ended worker-1 team a",
    "assigned manager worker-1 b",
    "evidence worker-1 manager b",
    "verdict manager directory b",
    "conflict directory worker-1 b",
    "verdict gates worker-1 b",
    "escalated manager person b",
    "answered person manager b",
    "ended worker-1 team b",
  ]);
  expect(story.rounds.every(({ finishedAt }) => finishedAt !== undefined)).toBe(true);
});

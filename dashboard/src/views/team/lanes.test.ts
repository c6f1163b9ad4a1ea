import { expect, it } from "vitest";
import { keysInOrder, layOut, type Review, type Round, type Team } from "./lanes.ts";

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 19, 12, 0, seconds)).toISOString();

const round = (part: Partial<Round>): Round => ({
  item: "a",
  lane: 1,
  worker: 0,
  attempt: 1,
  round: 1,
  started_at: at(10),
  base_state_id: null,
  finished_at: at(20),
  state_id: "s1",
  conversation_id: "c",
  cost_usd: 0,
  offline: true,
  evidence_at: null,
  changes: null,
  gates: [],
  violations: [],
  tool_errors: 0,
  judged_at: null,
  by: null,
  verdict: null,
  ...part,
});

const plan: Review = {
  kind: "plan",
  item: null,
  started_at: at(0),
  ended_at: at(10),
  state_id: null,
  work_state_id: null,
  cost_usd: null,
};

const team = (part: Partial<Team>): Team => ({
  team: "t",
  goal: "Make it good",
  workspace_id: "ws",
  workspace: "/w",
  run: null,
  runs: [],
  state: "ended",
  outcome: "completed",
  phase: null,
  started_at: at(0),
  updated_at: at(100),
  cost_usd: 0,
  manager_cost_usd: 0,
  offline: true,
  settings: {
    workers: 2,
    gates: [],
    protect: [],
    max_rounds: 3,
    max_attempts: 2,
    max_iterations: 50,
    approve_plan: false,
  },
  items: [],
  rounds: [],
  reviews: [plan],
  handoffs: [],
  efficiency: {
    rounds: 0,
    approved: 0,
    approved_per_round: null,
    sent_back_by_evidence: null,
    sent_back_by_gates: null,
    sent_back_by_manager: null,
    manager_cost_share: null,
  },
  ...part,
});

const against = { approved: false, issues: ["no"], required_changes: [] };

it("gives a lane to everybody, and a bar to each turn where its time is", () => {
  const gates = [{ command: "npm test", passed: false, ending: "exit code 1", output: "" }];
  const rounds = [round({ evidence_at: at(30), gates, by: "gates", verdict: against }), round({ lane: 2, item: "b" })];
  const picture = layOut(team({ rounds }), { widthPx: 1016, nowMs: 0 });
  expect(picture.lanes.map(({ label }) => label)).toEqual(["Manager", "Worker 1", "Worker 2", "Directory"]);
  expect(picture.bars.map(({ label, left, width, tone }) => [label, left, width, tone])).toEqual([
    ["plan", 0, 100, "neutral"],
    ["a 1.1", 100, 100, "bad"],
    ["b 1.1", 100, 100, "neutral"],
  ]);
  expect(picture.gates).toMatchObject([{ left: 200, width: 100, isPassed: false }]);
  expect(keysInOrder(team({ rounds }))).toEqual(["m0", "w0", "w1"]);
});

it("draws what goes on up to now, and a bar that can be hit however short a turn was", () => {
  const rounds = [round({ started_at: at(40), finished_at: null }), round({ finished_at: at(10) })];
  const picture = layOut(team({ state: "running", rounds }), { widthPx: 1016, nowMs: Date.parse(at(50)) });
  expect(picture.bars.find(({ isGoing }) => isGoing)).toMatchObject({ left: 800, width: 200, tone: "running" });
  expect(picture.bars.find(({ key }) => key === "w1")?.width).toBe(20);
  const many = Array.from({ length: 100 }, () => round({}));
  expect(layOut(team({ rounds: many }), { widthPx: 390, nowMs: 0 }).width).toBeGreaterThan(4000);
});

it("points from who gives to who gets, and shows a person only where one was asked", () => {
  const handoff = { item: "a", state_id: null, text: "" };
  const handoffs: Team["handoffs"] = [
    { ...handoff, at: at(10), type: "assigned", from: "manager", to: "worker-1" },
    { ...handoff, at: at(20), type: "verdict", from: "manager", to: "directory" },
    { ...handoff, at: at(30), type: "escalated", from: "manager", to: "person" },
    { ...handoff, at: at(40), type: "merged", from: "worker-1", to: "directory" },
  ];
  const picture = layOut(team({ handoffs }), { widthPx: 1016, nowMs: 0 });
  expect(picture.lanes[0]?.label).toBe("Person");
  expect(picture.arrows.map(({ tone, said }) => `${tone} ${said}`)).toEqual([
    "neutral assigned: manager to worker-1, a: ",
    "attention escalated: manager to person, a: ",
    "good merged: worker-1 to directory, a: ",
  ]);
  expect(picture.marks).toMatchObject([{ item: "a", left: 400 }]);
});

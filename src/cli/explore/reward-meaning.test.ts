import { expect, it } from "vitest";
import { isRefused, rewardMeaning } from "./reward-meaning.ts";

const of = (value: number, parts: Record<string, number> = {}, notes: Record<string, string> = {}) => ({
  value,
  parts,
  notes,
});

it("says in words what a reward means", () => {
  const rewards = [
    of(0.75, { passed: 3, failed: 1, skipped: 0, total: 4 }, { command: "npm test", ending: "exit code 1" }),
    of(1, { passed: 1, total: 1 }),
    of(0, {}, { command: "x", ending: "exit code 1", problem: "There is no tap report" }),
    of(1, {}, { command: "true", ending: "exit code 0" }),
    of(0, {}, { command: "false", ending: "took too long" }),
    of(3, { size: -2, cost: 5 }),
    of(7),
  ];
  expect(rewards.map(rewardMeaning)).toEqual([
    "3 of 4 tests pass",
    "1 of 1 test passes",
    "There is no tap report",
    "command succeeded",
    "command failed: took too long",
    "size -2.00, cost 5.00",
    "",
  ]);
  expect(rewards.map(isRefused)).toEqual([false, false, true, false, true, false, false]);
});

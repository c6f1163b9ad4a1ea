import { expect, it } from "vitest";
import { EMPTY_TEAM, mistakeInTeam, readTeamDraft, toStartTeam } from "./team-draft.ts";

const draft = { ...EMPTY_TEAM, workspace: "ws-1", goal: " Port it\n" };

it("keeps what was written, and takes nothing of another kind", () => {
  expect(readTeamDraft(JSON.stringify(draft))).toEqual(draft);
  expect(readTeamDraft('{"goal":1,"workers":"2","__proto__":{"gates":"x"}}')).toEqual({ ...EMPTY_TEAM, workers: "2" });
  expect(readTeamDraft("{half")).toEqual(EMPTY_TEAM);
});

it("says what is wrong before anything is sent", () => {
  expect(mistakeInTeam(draft)).toBeUndefined();
  expect(mistakeInTeam({ ...draft, goal: " " })).toBe("Say what the team should bring about");
  expect(mistakeInTeam({ ...draft, workers: "1.5" })).toBe("Workers: a whole number, 1 or more");
  expect(mistakeInTeam({ ...draft, budget: "much" })).toBe("Budget: an amount in dollars, such as 5");
  expect(mistakeInTeam({ ...draft, workspace: "-", directory: "app" })).toBe("Name the directory by its absolute path");
});

it("sends gates and questions only to a server that takes them", () => {
  const whole = {
    ...draft,
    gates: "npm test\n\n npm run lint ",
    protect: "*.test.ts",
    workers: "2",
    isApproving: true,
  };
  const common = { workspace: "ws-1", goal: "Port it", protect: ["*.test.ts"], workers: 2 };
  expect(toStartTeam(whole, { allowsCommands: true })).toEqual({
    ...common,
    gate: ["npm test", "npm run lint"],
    ask: "remote",
    approve_plan: true,
  });
  expect(toStartTeam(whole, { allowsCommands: false, offline: "team" })).toEqual({
    ...common,
    gate: [],
    offline: "team",
  });
});

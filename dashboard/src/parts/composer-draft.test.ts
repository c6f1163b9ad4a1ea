import { expect, it } from "vitest";
import { EMPTY_DRAFT, mistakeIn, parseDraft, toRun, toSearch } from "./composer-draft.ts";

const draft = { ...EMPTY_DRAFT, workspace: "w", prompts: ["One", " ", "Two"], budget: "0.5", mode: "plan" } as const;

it("reads what it has kept, and makes nothing of what it has not", () => {
  expect(parseDraft(JSON.stringify(draft))).toEqual(draft);
  expect([parseDraft(""), parseDraft("[1"), parseDraft("null")]).toEqual([EMPTY_DRAFT, EMPTY_DRAFT, EMPTY_DRAFT]);
  expect(parseDraft('{"prompts":[],"mode":"root","kind":1,"isAsking":"no","model":"opus"}')).toEqual({
    ...EMPTY_DRAFT,
    model: "opus",
  });
});

it("says what is wrong beside the field, before anything is sent", () => {
  expect(mistakeIn(EMPTY_DRAFT)?.field).toBe("directory");
  expect(mistakeIn({ ...EMPTY_DRAFT, directory: "app" })?.message).toContain("absolute");
  expect(mistakeIn({ ...draft, prompts: [" "] })?.field).toBe("prompt");
  expect(mistakeIn({ ...draft, budget: "cheap" })?.field).toBe("max_cost_usd");
  expect(mistakeIn({ ...draft, kind: "search", amount: "1.5" })?.field).toBe("n");
  expect(mistakeIn({ ...draft, kind: "search", threshold: "x" })?.field).toBe("threshold");
  expect(mistakeIn({ ...draft, amount: "x" })).toBeUndefined();
});

it("tells the server only what was said", () => {
  expect(toRun({ ...EMPTY_DRAFT, directory: " /app ", prompts: ["Go"] }, false)).toEqual({
    directory: "/app",
    prompt: "Go",
  });
  expect(toRun({ ...draft, isContinuing: true }, true)).toEqual({
    workspace: "w",
    permission_mode: "plan",
    ask: "remote",
    max_cost_usd: 0.5,
    prompt: "One",
    continue: true,
  });
  const search = { ...draft, kind: "search", strategy: "mcts", amount: "8", reward: "npm test", from: "s" } as const;
  expect(toSearch({ ...search, isAsking: false, mode: "", budget: "" }, true)).toEqual({
    workspace: "w",
    prompt: ["One", "Two"],
    strategy: "mcts",
    iterations: 8,
    reward: "npm test",
    from: "s",
  });
});

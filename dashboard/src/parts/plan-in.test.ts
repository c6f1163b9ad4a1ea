import { expect, it } from "vitest";
import { planIn } from "./plan-in.ts";

type Event = Parameters<typeof planIn>[0][number]["event"];

const lines = (...events: readonly Event[]) => events.map((event, place) => ({ line: place + 1, event }));
const ask: Event = { type: "tool-start", tool: "ExitPlanMode", tool_use_id: "p", input: {} };

it("finds a plan in its file, else in the words before the call", () => {
  const said = { type: "text", text: "1. Do it" };
  const later = { type: "text", text: "Later" };
  const file = { file_path: "/home/me/.claude/plans/calm-tree.md", content: "# Plan" };
  expect(planIn(lines(said, ask, later), "p")).toBe("1. Do it");
  expect(planIn(lines({ type: "tool-start", tool: "Write", input: file }, said, ask), "p")).toBe("# Plan");
  expect(planIn(lines({ type: "tool-start", tool: "Write", input: { ...file, file_path: "/a.md" } }, ask), "p")).toBe(
    undefined,
  );
  expect(planIn(lines(said), "p")).toBe("1. Do it");
});

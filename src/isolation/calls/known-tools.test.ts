import { expect, test } from "vitest";
import { refuseUnknownTools, stanceOn } from "./known-tools.ts";

const refuse = (tool: string): unknown => refuseUnknownTools({ tool, input: {}, cwd: "/" });

test("a tool that a newer CLI brings is refused until it is known", () => {
  expect(stanceOn("Teleport")).toBeUndefined();
  expect(refuse("Teleport")).toBe(
    "Teleport is not available in isolation: nobody has checked yet what it does outside the sandbox.",
  );
  for (const name of ["constructor", "__proto__", "toString", "bash", ""]) expect(refuse(name)).toBeDefined();
});

test("a known one is allowed, or refused with its reason; the caller's own servers are the caller's", () => {
  expect(["Bash", "Task", "Agent", "mcp__own__tool"].map(refuse)).toEqual(Array(4).fill(undefined));
  expect(refuse("Workflow")).toBe("Workflow is not available in isolation: its script would run outside the sandbox.");
});

import { expect, test } from "vitest";
import { describeTestRun } from "./todo.ts";

test.each([
  ["# tests 7\n# pass 7\n# fail 0\n# todo 0", "All 7 tests pass."],
  ["ℹ tests 8\nℹ pass 7\nℹ fail 0\nℹ todo 1\n", "All 7 tests pass, 1 still to be written."],
  ["# tests 8\n# pass 6\n# fail 2\n# todo 0", "6 of 8 tests pass and 2 fail."],
  ["sh: node: not found", "The tests did not run:\n\nsh: node: not found"],
])("%j is told as %j", (output, told) => {
  expect(describeTestRun(output)).toBe(told);
});

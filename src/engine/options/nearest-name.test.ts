import { expect, test } from "vitest";
import { nearestName } from "./parse-options.ts";

test.each([
  ["modle", ["tools", "model"], "model"],
  ["max_turns", ["maxTurns", "maxCostUsd"], "maxTurns"],
  ["MODEL", ["model"], "model"],
  ["flavour", ["model", "tools"], undefined],
  ["ab", ["cd"], undefined],
  ["anything", [], undefined],
])("%s of %j is %s", (name, known, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});

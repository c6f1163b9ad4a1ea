import { expect, it } from "vitest";
import { formatDuration, formatNumberOf, formatUsd } from "./format-amounts.ts";

it("writes durations, money and counts as people do", () => {
  expect([0, 999, 1000, 59_949, 59_950, 125_400].map(formatDuration)).toEqual([
    "0 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "1 min 0 s",
    "2 min 5 s",
  ]);
  expect([0, 0.0042, 0.1, 12.345].map(formatUsd)).toEqual(["$0.00", "$0.0042", "$0.10", "$12.35"]);
  expect([formatNumberOf(1, "file"), formatNumberOf(1200, "file")]).toEqual(["1 file", "1,200 files"]);
});

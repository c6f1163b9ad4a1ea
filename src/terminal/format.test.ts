import { expect, it } from "vitest";
import {
  formatAge,
  formatAgo,
  formatDuration,
  formatMoment,
  formatNumberOf,
  formatUsd,
  formatUsdColumn,
  formatWhen,
  parseMoment,
} from "./format.ts";

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

const NOW = new Date(2026, 10, 15, 12, 3, 45).getTime();

it("tells an age by its largest unit, and by the date where it is old", () => {
  const ages = [-5, 0, 59_999, 60_000, 7_200_000, 86_400_000 * 29, 86_400_000 * 31];
  expect(ages.map((age) => formatAge(NOW - age, NOW))).toEqual(["0s", "0s", "59s", "1m", "2h", "29d", "2026-10-15"]);
});

it("tells in words how long ago something was at a terminal, and when it was in a pipe", () => {
  const ages = [-5, 59_999, 60_000, 7_200_000, 86_400_000, 86_400_000 * 29, 86_400_000 * 31];
  expect(ages.map((age) => formatAgo(NOW - age, NOW))).toEqual([
    "just now",
    "just now",
    "1 min ago",
    "2 h ago",
    "1 day ago",
    "29 days ago",
    "2026-10-15",
  ]);
  expect([true, false].map((isLive) => formatWhen(NOW - 60_000, NOW, { isLive }))).toEqual([
    "1 min ago",
    "2026-11-15 12:02:45",
  ]);
});

it("writes money of one column with the same number of digits", () => {
  expect(formatUsdColumn([1.2, 0.0042, null, 0])).toEqual(["$1.2000", "$0.0042", "", "$0.0000"]);
  expect(formatUsdColumn([1.2, 12, undefined])).toEqual(["$1.20", "$12.00", ""]);
});

it("tells a moment by the clock on the wall", () => {
  expect(formatMoment(NOW)).toBe("2026-11-15 12:03:45");
});

it("reads dates, times and how long ago, and nothing else", () => {
  expect(
    ["2026-11-15", "2026-11-15 12:03", "2026-11-15T12:03:45", "3h", "7d"].map((text) => parseMoment(text, NOW)),
  ).toEqual([
    new Date(2026, 10, 15).getTime(),
    new Date(2026, 10, 15, 12, 3).getTime(),
    NOW,
    NOW - 3 * 3_600_000,
    NOW - 7 * 86_400_000,
  ]);
  expect(parseMoment("2026-11-15T12:00:00Z", NOW)).toBe(Date.UTC(2026, 10, 15, 12));
  expect(["", "yesterday", "3 h", "2026-13-01", "15.11.2026"].map((text) => parseMoment(text, NOW))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

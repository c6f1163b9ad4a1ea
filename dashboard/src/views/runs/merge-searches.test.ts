import { expect, it } from "vitest";
import type { RecordedSearches, RunList } from "../../../../src/monitor/api-types.ts";
import { mergeSearches } from "./merge-searches.ts";

const at = (minute: number): string => `2026-11-19T12:0${minute}:00.000Z`;
const search = (id: string, minute: number) => ({ id, updated_at: at(minute) }) as RecordedSearches["searches"][number];
const run = (id: string, minute: number) => ({ run: id, updated_at: at(minute) }) as RunList["runs"][number];

it("lists searches that have turns, a journal, or both, once and by when something last happened in them", () => {
  const found = mergeSearches([search("a", 6), search("b", 3)], { runs: [run("new", 7), run("a", 6)], hasMore: false });
  expect(found.map(({ id, recorded, run: own }) => [id, recorded?.id, own?.run])).toEqual([
    ["new", undefined, "new"],
    ["a", "a", "a"],
    ["b", "b", undefined],
  ]);
});

it("keeps journals back that are older than what is still to come", () => {
  const given = { runs: [run("new", 7), run("old", 1)], hasMore: true };
  expect(mergeSearches([search("a", 6)], given).map(({ id }) => id)).toEqual(["new", "a"]);
  expect(mergeSearches([search("a", 6)], { ...given, hasMore: false }).map(({ id }) => id)).toEqual([
    "new",
    "a",
    "old",
  ]);
});

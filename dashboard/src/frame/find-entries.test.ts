import { expect, it } from "vitest";
import { findEntries, type Entry } from "./find-entries.ts";

const entry = (group: Entry["group"], label: string, detail?: string): Entry => ({
  id: label,
  group,
  label,
  detail,
  run: () => {},
});

const entries = [
  entry("Workspaces", "shop: tree", "/home/me/shop"),
  entry("Actions", "Go to Tree"),
  entry("Actions", "Change the theme"),
  entry("Runs", "Plant a tree", "garden"),
];

it("finds what has all the words, the nearest first in each group, the groups in their order", () => {
  const found = (words: string, most = 5): readonly string[] =>
    findEntries(entries, words, most).map(({ label }) => label);
  expect(found("tree")).toEqual(["Plant a tree", "Go to Tree", "shop: tree"]);
  expect(found("me")).toEqual(["Change the theme", "shop: tree"]);
  expect(found("HOME sh")).toEqual(["shop: tree"]);
  expect(found("nothing")).toEqual([]);
  expect(found("", 1)).toEqual(["Plant a tree", "Go to Tree", "shop: tree"]);
});

it("finds among tens of thousands before the next key is pressed", () => {
  const many = Array.from({ length: 30_000 }, (_, place) => entry("Turns", `Make test ${place} pass`, "/home/me/app"));
  const startedAt = process.cpuUsage();
  expect(findEntries(many, "29999", 5)).toHaveLength(1);
  const { user, system } = process.cpuUsage(startedAt);
  expect((user + system) / 1000).toBeLessThan(200);
});

import { expect, it } from "vitest";
import { filesOfCut } from "./cut-patch.ts";

const patchOf = (path: string): string =>
  [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, "@@ -1 +1,2 @@", " one", "+two", ""].join("\n");

it("lists every file of a patch that was cut, and shows of those whose lines are not there that they are not", () => {
  const changes = ["a", "b", "c"].map((path) => ({ type: "modified" as const, path, from: null }));
  // It ends within b: what there is of b may not be all of it.
  const data = { changes, patch: patchOf("a") + patchOf("b").slice(0, -6) };
  const shape = (...chosen: readonly [patch?: string, path?: string]): unknown =>
    filesOfCut(data, chosen[0], chosen[1]).map(({ path, added, untold }) => [path, added, untold !== undefined]);
  expect(shape()).toEqual([
    ["a", 1, false],
    ["b", 0, true],
    ["c", 0, true],
  ]);
  expect(shape(patchOf("c"), "c")).toEqual([
    ["a", 1, false],
    ["b", 0, true],
    ["c", 1, false],
  ]);
});

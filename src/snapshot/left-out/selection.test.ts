import { expect, it } from "vitest";
import { selectByGlobs } from "./selection.ts";

it("takes what a glob from the root names, and all below it", () => {
  const { takesFile } = selectByGlobs([".env", "config/*.local", "packages/**/.env", "dist/"]);
  const paths = [
    ".env",
    "a/.env",
    "config/x.local",
    "config/x/y.local",
    "packages/.env",
    "packages/a/b/.env",
    "dist/a/b",
    "distance",
  ];
  expect(paths.filter(takesFile)).toEqual([".env", "config/x.local", "packages/.env", "packages/a/b/.env", "dist/a/b"]);
});

it("enters only folders in which something may be named", () => {
  const { enters } = selectByGlobs(["config/*.local", "packages/**/.env"]);
  expect(["config", "config/deep", "node_modules", "packages", "packages/a/b"].filter(enters)).toEqual([
    "config",
    "packages",
    "packages/a/b",
  ]);
});

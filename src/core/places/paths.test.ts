import { expect, it } from "vitest";
import { isInside } from "./paths.ts";

it.each([
  ["/a", "/a", true],
  ["/a/b", "/a", true],
  ["/a/b/../c", "/a", true],
  ["/a/..b", "/a", true],
  ["/a/../b", "/a", false],
  ["/ab", "/a", false],
  ["/", "/a", false],
  ["/a", "/", true],
  ["a", process.cwd(), false],
])("%s is inside of %s: %s", (path, folder, is) => {
  expect(isInside(path, folder)).toBe(is);
});

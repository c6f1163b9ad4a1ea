import { expect, test } from "vitest";
import { firstDifference } from "./nearest-recorded.ts";

test("equal values have no difference", () => {
  expect(firstDifference({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBeUndefined();
});

test.each([
  [{ a: [1, { b: "x" }] }, { a: [1, { b: "y" }] }, { path: "$.a[1].b", expected: '"x"', got: '"y"' }],
  [{ a: 1, b: 2 }, { a: 1 }, { path: "$.b", expected: "2", got: "nothing" }],
  [{ a: [] }, { a: [{ c: true }] }, { path: "$.a[0]", expected: "nothing", got: '{"c":true}' }],
  [{ a: [] }, { a: {} }, { path: "$.a", expected: "[]", got: "{}" }],
])("%j and %j differ at one place", (expected, got, difference) => {
  expect(firstDifference(expected, got)).toEqual(difference);
});

test("long texts are shown from a little before the place where they part", () => {
  const same = "s".repeat(500);

  expect(firstDifference(`${same}one${same}`, `${same}two${same}`)).toEqual({
    path: "$",
    expected: `…"${"s".repeat(30)}one${"s".repeat(85)}…`,
    got: `…"${"s".repeat(30)}two${"s".repeat(85)}…`,
  });
});

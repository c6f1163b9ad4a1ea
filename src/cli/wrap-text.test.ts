import { expect, it } from "vitest";
import { wrapText } from "./wrap-text.ts";

it("breaks long lines between words, and leaves short ones and long words as they are", () => {
  expect(wrapText("one two three\n  a  b\n\nabcdefghijkl mn", 8)).toEqual([
    "one two",
    "three",
    "  a  b",
    "",
    "abcdefghijkl",
    "mn",
  ]);
});

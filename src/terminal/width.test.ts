import { expect, it } from "vitest";
import { breakText, fitLine, padLine, widthOf, wrapText } from "./width.ts";

it("counts columns: colours take none, letters and drawing signs one, ideographs and emoji two, what is combined none", () => {
  const lines = ["", "\u001b[31mred\u001b[0m", "✓ │…", "日本", "a✅", "e\u0301", "❤\ufe0f", "👩\u200d💻"];
  expect(lines.map(widthOf)).toEqual([0, 3, 4, 4, 3, 1, 2, 2]);
});

it("cuts to the columns there are, between characters, and closes the colours", () => {
  expect(["abcdef", "日本語", "\u001b[31mabcdef\u001b[39m"].map((line) => fitLine(line, 5))).toEqual([
    "abcd…",
    "日本…",
    "\u001b[31mabcd…\u001b[39m",
  ]);
  expect([fitLine("abcdef", 6), fitLine("abcdef", 1), fitLine("abcdef", 0)]).toEqual(["abcdef", "…", ""]);
  expect(fitLine("abcdef", Number.POSITIVE_INFINITY)).toBe("abcdef");
});

it("fills up at either end", () => {
  expect([padLine("日", 4), padLine("日", 4, "right"), padLine("long", 2)]).toEqual(["日  ", "  日", "long"]);
});

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

it("breaks long words where nothing may be longer, after a slash if there is one", () => {
  expect(breakText("see src/parser/read.ts abcdefghijkl", 12)).toEqual([
    "see",
    "src/parser/",
    "read.ts",
    "abcdefghijkl",
  ]);
  expect(breakText("日本語日本語", 5)).toEqual(["日本", "語日", "本語"]);
});

it("counts one column for each character that it does not look up, as if it had", () => {
  const ranges = [
    "\u00a1-\u00ac",
    "\u00ae-\u02ff",
    "\u2010-\u2027",
    "\u2030-\u205e",
    "\u2190-\u21ff",
    "\u2500-\u25fc",
    "\u2713-\u2718",
  ];
  const plain = ranges.flatMap(([first = "", , last = ""]) => {
    const [from = 0, to = 0] = [first.codePointAt(0), last.codePointAt(0)];
    return Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at));
  });
  // An ideograph has the line looked up.
  const others = plain.filter((character) => widthOf(`日a${character}b`) !== 5 || widthOf(`a${character}b`) !== 3);
  expect([plain.length, others]).toEqual([1048, []]);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fullTextQuery } from "../../database/index.ts";
import { findRanges, makeSnippet, termsOf } from "./make-snippet.ts";

/** The words that are marked in a text. */
function marked(text: string, words: string): readonly string[] {
  return findRanges(text, termsOf(fullTextQuery(words) ?? "")).map(([start, end]) => text.slice(start, end));
}

describe("a snippet", () => {
  it.each([
    ["The Cafe, the café and the CAFÉ", "café", ["Cafe", "café", "CAFÉ"]],
    ["login page, page login", '"login page"', ["login page"]],
    ["testing tests attest", "test*", ["testing", "tests"]],
    ["src/main.ts and main-ts", "main.ts", ["main.ts", "main-ts"]],
    ["a b a b c", '"a b c" b', ["b", "a b c"]],
    ["日本 語", "日本", ["日本"]],
    ["nothing", "else", []],
  ])("of %j for %j marks %j", (text, words, expected) => {
    expect(marked(text, words)).toEqual(expected);
  });

  it("is the part with the most of the words", () => {
    const text = `needle ${"hay ".repeat(200)}needle and needle ${"straw ".repeat(200)}`;
    const { ranges, isCutBefore, isCutAfter, text: part } = makeSnippet(text, findRanges(text, termsOf('"needle"')));
    expect(ranges.map(([start, end]) => part.slice(start, end))).toEqual(["needle", "needle"]);
    expect([isCutBefore, isCutAfter, part.startsWith("hay hay")]).toEqual([true, true, true]);
  });

  it("is within the text, with its ranges within it, whatever the text is", () => {
    const anyText = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("needle", " ", "x".repeat(300))));
    fc.assert(
      fc.property(anyText, (parts) => {
        const text = parts.join("");
        const snippet = makeSnippet(text, findRanges(text, termsOf('"needle"')));
        expect(text).toContain(snippet.text);
        for (const [start, end] of snippet.ranges)
          expect(snippet.text.slice(start, end).toLowerCase()).toMatch(/^needle/u);
      }),
    );
  });
});

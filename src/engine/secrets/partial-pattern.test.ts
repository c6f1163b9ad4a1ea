import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partialPattern } from "./find-secrets.ts";

/** Where a match that is whole or begun reaches the end of the text. */
const cutOf = (pattern: RegExp, text: string): number | undefined => partialPattern(pattern).exec(text)?.index;

describe("partialPattern", () => {
  it.each([
    /abc/,
    /key-[a-z0-9]{4,8}/,
    /a+b*c?d{2}e{1,}f{0,3}?/,
    /(?:red|green|blue)-(\d+)(?<unit>px|em)/,
    /[[\]()|{}\\-]+x/,
    /\x41\u0042\/\.\(/,
    /\u{1F600}+\p{Lu}{2}/u,
    /x{y}\{2}/,
    /BEGIN[\s\S]*?END/,
  ])("finds the begin of %s wherever the text is cut", (pattern) => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(`^(?:${pattern.source})$`, pattern.flags)), fc.nat(), (match, place) => {
        const begun = match.slice(0, place % (match.length + 1));
        const isWholeCharacter = begun.length === 0 || !/[\uD800-\uDBFF]$/.test(begun);
        fc.pre(isWholeCharacter);
        expect(cutOf(pattern, begun)).toBe(0);
        expect(cutOf(pattern, `~${begun}`)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [/key-[a-z]{4,}/, "a key-abcd", 2],
    [/key-[a-z]{4,}/, "a key-ab cd", 11],
    [/key-[a-z]{4,}/, "a key-abcd efk", 13],
    [/key-[a-z]{4,}/, "monkey", 3],
    [/(?<![a-z])key-[a-z]{4,}/, "monkey", 6],
    [/(?<=id: )\d{4}/, "id: 12", 4],
    [/(?<=id: )\d{4}/, "no: 12", 6],
    [/\d{2,}(?=@)/, "a 123", 2],
    [/\d{2,}(?=@)/, "a 123 ", 6],
    [/(?!12)\d{4}/, "a 1", 2],
    [/^key/m, "one\nke", 4],
    [/^key/, "one\nke", 6],
    [/ab$/m, "ab\nab", 3],
    [/\cC+d/, "a\u0003\u0003", 1],
    [/KEY/i, "ke", 0],
    [/a.c/, "a\n", 2],
    [/a.c/s, "a\n", 0],
  ])("finds in %s for %j the place %d", (pattern, text, place) => {
    expect(cutOf(pattern, text)).toBe(place);
  });

  it.each([/(a|b)\1/, /(?<quote>['"]).*\k<quote>/])("refuses %s, which refers back", (pattern) => {
    expect(() => partialPattern(pattern)).toThrow(expect.objectContaining({ kind: "config", option: "patterns" }));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOT_WALKED, skipValue, walkObject } from "./json-bytes.ts";

/** The members that the walk finds, as `JSON.parse` reads their keys and values. */
function walk(text: string): Record<string, unknown> | undefined {
  const bytes = Buffer.from(text);
  const found: Record<string, unknown> = {};
  const end = walkObject(bytes, 0, bytes.length, (keyStart, keyEnd, valueStart) => {
    const valueEnd = skipValue(bytes, valueStart, bytes.length, 1);
    if (valueEnd === NOT_WALKED) return NOT_WALKED;
    const key = JSON.parse(bytes.toString("utf8", keyStart - 1, keyEnd + 1)) as string;
    Object.defineProperty(found, key, {
      value: JSON.parse(bytes.toString("utf8", valueStart, valueEnd)),
      enumerable: true,
      configurable: true,
      writable: true,
    });
    return valueEnd;
  });
  return end === bytes.length ? found : undefined;
}

/** JSON with white space where the grammar allows it. */
const spacedJson = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, "\t"))
  .map(([value, space]) => JSON.stringify(value, undefined, space));

describe("walkObject", () => {
  it("finds the members that JSON.parse finds, in any object", () => {
    fc.assert(
      fc.property(spacedJson, (text) => {
        expect(walk(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it("accepts what JSON.parse accepts and nothing else, as long as strings are plain", () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"a"',
      '""',
      "1",
      "-",
      "0.5",
      "1e3",
      "01",
      ".",
      "true",
      "null",
      "nul",
      " ",
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((parts) => `{"k":${parts.join("")}}`);
    fc.assert(
      fc.property(text, (candidate) => {
        expect(walk(candidate) !== undefined).toBe(isJson(candidate));
      }),
      { numRuns: 3_000 },
    );
  });

  it("is not misled by quotes, backslashes and braces inside strings of any length", () => {
    const inside = fc.array(fc.constantFrom('"', "\\", "{", "}", '\\"', ":", "x".repeat(60)), { maxLength: 30 });
    fc.assert(
      fc.property(inside, inside, (left, right) => {
        const value = { [left.join("")]: right.join(""), after: [left.join("")] };
        expect(walk(JSON.stringify(value))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it("gives up on what is cut off anywhere, and on what nests deeper than it goes", () => {
    const text = JSON.stringify({ a: { b: [1, "two", null] }, c: -1.5e-3 });
    for (let length = 0; length < text.length; length += 1) expect(walk(text.slice(0, length))).toBeUndefined();
    expect(walk(`{"deep":${"[".repeat(1_000)}${"]".repeat(1_000)}}`)).toBeUndefined();
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import { describe, expect, expectTypeOf, it } from "vitest";
import { fillPlaceholders, placeholderNames, type PlaceholderNames } from "./placeholders.ts";
import fc from "fast-check";

describe("placeholders", () => {
  it("are found in order, each once, and not where they are escaped", () => {
    expect(placeholderNames("${b} ${a} ${b} $${c} $5 $HOME {d}", "task")).toEqual(["b", "a"]);
    expect(placeholderNames("$${${a}", "task")).toEqual(["a"]);
    expect(placeholderNames("no placeholder", "task")).toEqual([]);
  });

  it("are known to the type checker from the literal", () => {
    expectTypeOf<PlaceholderNames<"${b} ${a} ${b} $${c} $5 $HOME {d}">>().toEqualTypeOf<"a" | "b">();
    expectTypeOf<PlaceholderNames<"$${${a}">>().toEqualTypeOf<"a">();
    expectTypeOf<PlaceholderNames<"$$${a}">>().toEqualTypeOf<never>();
    expectTypeOf<PlaceholderNames<"no placeholder">>().toEqualTypeOf<never>();
    type Ten = "${a}${b}${c}${d}${e}${f}${g}${h}${i}${j}";
    type Hundred = `${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}`;
    expectTypeOf<PlaceholderNames<`${Hundred}\${z}`>>().toEqualTypeOf<
      "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "z"
    >();
  });

  it.each(["${}", "${a.b}", "${ a }", "${9}", "text ${a"])("are refused where they are none: %s", (template) => {
    expect(() => placeholderNames(template, "task")).toThrow(
      expect.objectContaining({ kind: "usage", target: "task" }),
    );
  });

  it("are filled once: a value that looks like one, or like a pattern, is put in as it is", () => {
    const values = { a: "${b}", b: "$& $1 $$" };
    expect(fillPlaceholders("<${a}|${b}|$${a}>", (name) => values[name as keyof typeof values])).toBe(
      "<${b}|$& $1 $$|${a}>",
    );
  });

  it("leave any text without them as it is", () => {
    const plain = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("${"));
    fc.assert(fc.property(plain, (text) => fillPlaceholders(text, () => "x") === text));
  });
});

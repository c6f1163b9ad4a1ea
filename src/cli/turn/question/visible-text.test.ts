import fc from "fast-check";
import { expect, it } from "vitest";
import { hasHiddenText, visibleText } from "./render-call.ts";

it("writes out what a terminal would not show", () => {
  expect(visibleText("a\u001b[2Kb\rc\u202ed\u200be\u0000\u00a0\tf\u{e0041}\ud800")).toBe(
    "a\\x1b[2Kb\\rc\\u{202e}d\\u{200b}e\\x00\\xa0    f\\u{e0041}\\u{d800}",
  );
});

it("leaves lines, letters of all languages and emoji as they are", () => {
  const text = "für 日本 é e\u0301 🙂 ✓\nعربى";
  expect(visibleText(text)).toBe(text);
  expect(hasHiddenText(text)).toBe(false);
});

it("lets nothing through that steers a terminal, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visibleText(text)).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    }),
  );
});

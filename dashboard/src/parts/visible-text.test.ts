import { expect, it } from "vitest";
import { visibleInput, visibleText } from "./visible-text.ts";

it("writes out what cannot be seen, and leaves words of all languages as they are", () => {
  expect(visibleText("a\u0000b\u001B[2K\u202Etxt.exe\u200B\uD800 \u{E0041}")).toBe(
    "a\\x00b\\x1b[2K\\u{202e}txt.exe\\u{200b}\\u{d800} \\u{e0041}",
  );
  expect(visibleText("one\n\ttwo, שלום, 日本, 👩 naïve")).toBe("one\n\ttwo, שלום, 日本, 👩 naïve");
});

it("does so in all texts of an input", () => {
  expect(visibleInput({ command: "ls\u200B", more: [1, null, { "a\u202E": "b\u0007" }] })).toEqual({
    command: "ls\\u{200b}",
    more: [1, null, { "a\\u{202e}": "b\\x07" }],
  });
});

import { describe, expect, it } from "vitest";
import {
  createPlainTextStream,
  fitLine,
  markdownLine,
  plainLine,
  plainOutput,
  plainText,
  wrapText,
  widthOf,
} from "./plain-text.ts";

describe("plainText", () => {
  it("keeps lines and tabs, and takes away what steers a terminal or turns the text around", () => {
    expect(plainText("a\tb\r\nc\u001b[1;31md\u001b]0;t\u0007e\u0000\u009b\u202ef")).toBe("a\tb\ncdef");
  });

  it("is one line where one is asked for", () => {
    expect(plainLine("  cat <<E\n\tone\nE ")).toBe("cat <<E one E");
  });
});

describe("createPlainTextStream", () => {
  it("knows an escape sequence that comes in two pieces", () => {
    const plain = createPlainTextStream();
    expect(["red\u001b", "[3", "1m text", " end"].map(plain)).toEqual(["red", "", " text", " end"]);
  });
});

describe("markdownLine", () => {
  it("is read as it was written", () => {
    expect(markdownLine("# a_b\n<script> [x](y) `z` \u001b[2J")).toBe("\\# a\\_b \\<script\\> \\[x\\](y) \\`z\\`");
  });
});

describe("plainOutput", () => {
  it("leaves our own colours and movements on a terminal, and nothing elsewhere", () => {
    const text =
      "\r\u001b[2K\u001b[32mok\u001b[39m\r\u001b[3A\u001b[0J|\u001b[8mhidden\u001b[2J\u001b]0;t\u0007\u202e\u009b2J\r!";
    expect(plainOutput(text, true)).toBe("\r\u001b[2K\u001b[32mok\u001b[39m\r\u001b[3A\u001b[0J|hidden!");
    expect(plainOutput(text, false)).toBe("ok|hidden!");
  });
});

describe("fitLine", () => {
  it("cuts to the columns there are, wide characters counted as two", () => {
    expect([fitLine("abcdef", 6), fitLine("abcdef", 5), fitLine("日本語", 5)]).toEqual(["abcdef", "abcd…", "日…"]);
  });
});

describe("widthOf", () => {
  it("counts columns: colours take none, letters and drawing signs one, ideographs and emoji two", () => {
    expect(["", "\u001b[31mred\u001b[0m", "✓ │…", "日本", "a✅"].map(widthOf)).toEqual([0, 3, 4, 4, 3]);
  });
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

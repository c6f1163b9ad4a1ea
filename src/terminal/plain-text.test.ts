import { describe, expect, it } from "vitest";
import { createPlainTextStream, markdownLine, plainLine, plainOutput, plainText } from "./plain-text.ts";

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
    expect(plainOutput(text, { isLive: true, isUnicode: true })).toBe(
      "\r\u001b[2K\u001b[32mok\u001b[39m\r\u001b[3A\u001b[0J|hidden!",
    );
    expect(plainOutput(text, { isLive: false, isUnicode: true })).toBe("ok|hidden!");
  });

  it("draws in ASCII on a terminal that shows nothing else, sign for sign", () => {
    const text = "│ ├─ ✓ a… · ×2";
    expect(plainOutput(text, { isLive: true, isUnicode: false })).toBe("| |- v a. - x2");
    expect(plainOutput(text, { isLive: false, isUnicode: false })).toBe(text);
  });
});

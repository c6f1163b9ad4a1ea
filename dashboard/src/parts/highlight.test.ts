import { describe, expect, it } from "vitest";
import { highlightLines } from "./highlight.ts";
import { languageNamed, languageOf } from "./language-of.ts";

describe("highlighted code", () => {
  it("is lines of pieces, and all pieces together are the code", () => {
    const code = "const a = `x\n${b}`; // <b> & 'c'\nreturn \"<script>\";";
    const lines = highlightLines(code, "javascript");
    expect(lines.map((line) => line.map(([text]) => text).join("")).join("\n")).toBe(code);
    expect(lines[0]?.[0]).toEqual(["const", "keyword"]);
    expect(lines[2]?.at(1)).toEqual([" ", ""]);
  });

  it("keeps what looks like markup or an entity as it is", () => {
    for (const language of ["xml", "javascript", "markdown", "bash"]) {
      const code = '</span><span class="x">&amp;lt;</span> &#x27; <';
      const shown = highlightLines(code, language).map((line) => line.map(([text]) => text).join(""));
      expect(shown.join("\n")).toBe(code);
    }
  });

  it("is text where the language is not known", () => {
    expect(highlightLines("a\nb", "klingon")).toEqual([[["a", ""]], [["b", ""]]]);
  });
});

it("knows a file's language by its name, and a block's by its word", () => {
  expect(["src/a.test.ts", "Dockerfile", ".bashrc", "a.constructor"].map(languageOf)).toEqual([
    "typescript",
    "bash",
    undefined,
    undefined,
  ]);
  expect(["tsx", "Shell", "python", "__proto__"].map(languageNamed)).toEqual([
    "typescript",
    "bash",
    "python",
    undefined,
  ]);
});

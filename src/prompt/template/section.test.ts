import { describe, expect, it } from "vitest";
import { createOverrides } from "./prompt-overrides.ts";
import { PromptTemplate } from "./prompt-template.ts";
import { Prompt } from "./prompt.ts";
import { Section, type RenderContext } from "./section.ts";

class Listing extends Section<{ readonly files: readonly string[] }> {
  override render({ files }: { readonly files: readonly string[] }, { path }: RenderContext): string {
    return `${path}: ${files.join(", ")}`;
  }
}

describe("a section of one's own", () => {
  const template = new PromptTemplate({
    ns: "demo",
    key: "own",
    sections: [
      new Listing({
        title: "Files",
        key: "files",
        visibility: ({ files }) => (files.length > 2 ? "summary" : "full"),
        summary: "Many.",
      }),
    ],
  });

  it("is rendered with params of its own types", () => {
    expect(new Prompt(template).bind({ files: ["a", "b"] }).render().text).toBe("## 1. Files\n\nfiles: a, b");
    expect(new Prompt(template).bind({ files: ["a", "b", "c"] }).render().summarised).toEqual(["files"]);
    // @ts-expect-error The params are known from the class.
    new Prompt(template).bind({ files: 1 });
  });

  it("accepts no overrides unless it says so", () => {
    expect(() => createOverrides(template, { texts: { files: "x" } })).toThrow("the section accepts none");
  });
});

import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { ToolResult } from "../tools/tool-result.ts";
import { tool } from "../tools/tool.ts";
import { MarkdownSection } from "./markdown-section.ts";
import { PromptTemplate } from "./prompt-template.ts";
import { Prompt } from "./prompt.ts";
import type { RenderedPrompt } from "./render-prompt.ts";
import type { AnySection } from "./section.ts";

const section = (key: string, children: readonly AnySection[] = []): AnySection =>
  new MarkdownSection({ title: key, key, template: "", children });
const search = (description: string) => tool({ name: "search", description, handler: () => ToolResult.ok(1) });

describe("a prompt template", () => {
  it("gives every section a path, and its texts a hash", () => {
    const make = (template: string) =>
      new PromptTemplate({
        ns: "demo",
        key: "hello",
        name: "Hello",
        sections: [
          new MarkdownSection({
            title: "Task",
            key: "task",
            template,
            children: [new MarkdownSection({ title: "Detail", key: "detail", template: "Quietly." })],
          }),
        ],
      }).descriptor;
    expect(make("Say hello.")).toEqual({
      ns: "demo",
      key: "hello",
      name: "Hello",
      sections: [
        { path: "task", hash: "c8e2c1437abb87b67330d0dddbd1de9a179ca6be207497f14873894c26e7d742" },
        { path: "task/detail", hash: expect.stringMatching(/^[0-9a-f]{64}$/u) as string },
      ],
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
    });
    expect(make("Say hello.")).toEqual(make("  Say hello.\n"));
    expect(make("Say hello!").hash).not.toBe(make("Say hello.").hash);
  });

  it("lets the same key stand under different parents, and the same tool in two sections", () => {
    const shared = search("Searches");
    const withTool = (key: string, children: readonly AnySection[] = []) =>
      new MarkdownSection({ title: key, key, template: "", tools: [shared], children });
    const template = new PromptTemplate({
      ns: "demo",
      key: "paths",
      sections: [withTool("a", [section("x")]), withTool("b", [section("x")])],
    });
    expect(template.placed.map(({ path }) => path)).toEqual(["a", "a/x", "b", "b/x"]);
    expect(new Prompt(template).render().tools).toEqual([shared]);
  });

  it.each([
    ["an ns out of shape", { ns: "Demo" }, "ns of a prompt"],
    ["a key that leads elsewhere", { key: "../x" }, "key of a prompt"],
    ["no sections", { sections: [] }, "demo/bad"],
    ["two sections of one key", { sections: [section("a"), section("a")] }, "a"],
    ["two children of one key", { sections: [section("a", [section("x"), section("x")])] }, "a/x"],
    ["something that is no section", { sections: [{ key: "a", title: "A" }] }, "sections"],
    ["an output that is no schema", { output: { type: "object" } }, "demo/bad"],
    [
      "two tools of one name",
      {
        sections: ["a", "b"].map((key) => new MarkdownSection({ title: key, key, template: "", tools: [search(key)] })),
      },
      "b",
    ],
    [
      "a tool with a name of Skein's own",
      {
        sections: [
          new MarkdownSection({
            title: "A",
            key: "a",
            template: "",
            tools: [tool({ name: "open_sections", description: "Opens", handler: () => ToolResult.ok(1) })],
          }),
        ],
      },
      "a",
    ],
    [
      "two skills of one name",
      {
        sections: ["a", "b"].map(
          (key) =>
            new MarkdownSection({
              title: key,
              key,
              template: "",
              skills: [{ name: "lint", description: "Lints", content: key }],
            }),
        ),
      },
      "b",
    ],
  ])("refuses %s, and names the place", (_, options, target) => {
    const given: unknown = { ns: "demo", key: "bad", sections: [section("a")], ...options };
    expect(() => new PromptTemplate(given as { ns: ""; key: ""; sections: [] })).toThrow(
      expect.objectContaining({ kind: "usage", target }),
    );
  });

  it("tells the type checker its params and its output", () => {
    const template = new PromptTemplate({
      ns: "demo",
      key: "typed",
      output: z.object({ message: z.string() }),
      sections: [
        new MarkdownSection({ title: "A", key: "a", template: "${path}" }),
        new MarkdownSection({ title: "B", key: "b", template: "${focus}", defaults: { focus: "all" } }),
      ],
    });
    const prompt = new Prompt(template);
    expectTypeOf<{ path: string }>().toExtend<Parameters<typeof prompt.bind>[0]>();
    expectTypeOf<{ focus: string }>().not.toExtend<Parameters<typeof prompt.bind>[0]>();
    // Only a prompt that has its params is a whole one.
    expectTypeOf(prompt).not.toExtend<Prompt<{ message: string }>>();
    expectTypeOf(prompt.bind({ path: "src" })).toEqualTypeOf<Prompt<{ message: string }>>();
    expectTypeOf(prompt.render).returns.toEqualTypeOf<RenderedPrompt<{ message: string }>>();
    // @ts-expect-error A param that no section has.
    prompt.bind({ path: "src", pth: "lib" });

    const list = new PromptTemplate({
      ns: "a",
      key: "b",
      output: z.array(z.object({ n: z.number() })),
      sections: [section("a")],
    });
    expectTypeOf(new Prompt(list).render()).toEqualTypeOf<RenderedPrompt<{ n: number }[]>>();
    const text = new PromptTemplate({
      ns: "a",
      key: "b",
      sections: [new MarkdownSection({ title: "A", key: "a", template: "" })],
    });
    expectTypeOf(new Prompt(text)).toExtend<Prompt>();
    expectTypeOf(new Prompt(text).render()).toEqualTypeOf<RenderedPrompt<undefined>>();
  });
});

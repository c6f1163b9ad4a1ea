import { describe, expect, it } from "vitest";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import { ToolResult } from "../tools/tool-result.ts";
import { tool, type ToolContext } from "../tools/tool.ts";
import { MarkdownSection } from "./markdown-section.ts";
import { PromptTemplate } from "./prompt-template.ts";
import { Prompt } from "./prompt.ts";
import { sectionText } from "./render-prompt.ts";
import type { AnySection } from "./section.ts";
import fc from "fast-check";

const make = (name: string) => tool({ name, description: `Does ${name}`, handler: () => ToolResult.ok(name) });
const policy = (name: string): ToolPolicy => ({ name, check: () => undefined });
const skill = (name: string) => ({ name, description: `About ${name}`, content: name });
const leaf = (key: string, template: string): AnySection => new MarkdownSection({ title: `T ${key}`, key, template });
const promptOf = (sections: readonly AnySection[]): Prompt =>
  new Prompt(new PromptTemplate({ ns: "demo", key: "p", sections }));

describe("a rendered prompt", () => {
  it("has numbered headings, by what is there", () => {
    const prompt = new Prompt(
      new PromptTemplate({
        ns: "demo",
        key: "numbers",
        sections: [
          new MarkdownSection({
            title: "Task",
            key: "task",
            template: "Review ${path}.",
            children: [
              new MarkdownSection({
                title: "Hidden",
                key: "hidden",
                template: "Not there.",
                enabled: ({ isDeep }: { readonly isDeep: boolean }) => isDeep,
              }),
              leaf("style", "Short."),
            ],
          }),
          leaf("empty", ""),
          leaf("end", "Done."),
        ],
      }),
    );
    expect(prompt.bind({ path: "src", isDeep: false }).render().text).toBe(
      "## 1. Task\n\nReview src.\n\n### 1.1. T style\n\nShort.\n\n## 2. T empty\n\n## 3. T end\n\nDone.",
    );
    expect(prompt.bind({ path: "src", isDeep: true }).render().text).toContain(
      "### 1.1. Hidden\n\nNot there.\n\n### 1.2. T style",
    );
  });

  it("has no heading below Markdown's sixth", () => {
    let section = leaf("s8", "deep");
    for (let depth = 7; depth > 0; depth -= 1) {
      section = new MarkdownSection({ title: `T s${depth}`, key: `s${depth}`, template: "", children: [section] });
    }
    expect(promptOf([section]).render().text).toContain("\n###### 1.1.1.1.1.1.1.1. T s8");
  });

  it("names the section and the param that is missing", () => {
    const template = new PromptTemplate({
      ns: "demo",
      key: "missing",
      sections: [
        new MarkdownSection({
          title: "A",
          key: "a",
          template: "",
          children: [new MarkdownSection({ title: "B", key: "b", template: "${path}" })],
        }),
      ],
    });
    expect(() => new Prompt(template).render()).toThrow(expect.objectContaining({ kind: "usage", target: "a/b.path" }));
  });

  it("is the same each time, whatever the params", () => {
    const sections = ["a", "b", "c"].map((key) => new MarkdownSection({ title: key, key, template: "<${x}> $${x}" }));
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.subarray(["a", "b", "c"]), (x, opened) => {
        const render = (): unknown => {
          const { tools, ...rest } = new Prompt(new PromptTemplate({ ns: "demo", key: "same", sections }))
            .bind({ x })
            .open(opened)
            .render();
          return [rest, tools];
        };
        expect(render()).toEqual(render());
        expect(JSON.stringify(render())).toContain(JSON.stringify(`<${x}> \${x}`).slice(1, -1));
      }),
    );
  });

  it("leaves the prompt that was bound or opened as it was", () => {
    const prompt = new Prompt(
      new PromptTemplate({
        ns: "demo",
        key: "same",
        sections: [new MarkdownSection({ title: "A", key: "a", template: "${x}" })],
      }),
    );
    const first = prompt.bind({ x: 1 });
    const given: object = { x: 2 };
    const second = first.bind(given);
    expect([first.render().text, second.render().text]).toEqual(["## 1. A\n\n1", "## 1. A\n\n2"]);
    expect(() => prompt.render()).toThrow("needs the param x");
  });
});

describe("a section that is shown as a summary", () => {
  const inner = policy("inner");
  const outer = policy("outer");
  const rules = new MarkdownSection({
    title: "Rules",
    key: "rules",
    template: "All the rules for ${path}.",
    summary: "Rules for ${path}.",
    visibility: "summary",
    tools: [make("lint")],
    skills: [skill("linting")],
    policies: [outer],
    children: [
      new MarkdownSection({ title: "More", key: "more", template: "More.", tools: [make("fix")], policies: [inner] }),
    ],
  });
  const task = new MarkdownSection({ title: "Task", key: "task", template: "Go.", tools: [make("go")] });
  const prompt = new Prompt(new PromptTemplate({ ns: "demo", key: "open", sections: [task, rules] })).bind({
    path: "src",
  });
  const names = (given: Prompt): readonly string[] => given.render().tools.map(({ name }) => name);
  const call = async (name: string, params: unknown): Promise<ToolResult> =>
    await prompt
      .render()
      .tools.find((each) => each.name === name)!
      .handler(params, {} as ToolContext);

  it("hides its text, tools and skills, and keeps its policies", () => {
    const rendered = prompt.render();
    expect(rendered.text).toBe(
      "## 1. Task\n\nGo.\n\n## 2. Rules\n\nRules for src.\n\n_A summary. read_section with the key `rules` shows the whole " +
        "section; open_sections also makes its tools available._",
    );
    expect(names(prompt)).toEqual(["go", "open_sections", "read_section"]);
    expect(rendered.skills).toEqual([]);
    expect(rendered.policies).toEqual([outer, inner]);
    expect(rendered.summarised).toEqual(["rules"]);
  });

  it("is there whole once it is opened", () => {
    const opened = prompt.open(["rules"]);
    const rendered = opened.render();
    expect(names(opened)).toEqual(["go", "lint", "fix"]);
    expect(rendered).toMatchObject({ summarised: [], skills: [skill("linting")], policies: [outer, inner] });
    expect(sectionText(rendered, ["rules"])).toBe("## 2. Rules\n\nAll the rules for src.\n\n### 2.1. More\n\nMore.");
    expect(rendered.text).toBe(`## 1. Task\n\nGo.\n\n${sectionText(rendered, ["rules"])}`);
  });

  it("is opened by the model through a value that says which, and read without being opened", async () => {
    const result = await call("open_sections", { section_keys: ["rules", "rules"], reason: "To lint" });
    expect(result).toMatchObject({
      success: true,
      value: { type: "sections-opened", sections: ["rules"], reason: "To lint" },
    });
    const read = (await call("read_section", { section_key: "rules" })) as ToolResult<{ render(): string }>;
    expect(read.value?.render()).toBe("## 2. Rules\n\nAll the rules for src.\n\n### 2.1. More\n\nMore.");
  });

  it("answers the model that asks for another with the ones there are", async () => {
    const message = 'There is no summary of a section "task". There are: rules';
    expect(await call("open_sections", { section_keys: ["task"], reason: "?" })).toEqual({ success: false, message });
    expect(await call("read_section", { section_key: "task" })).toEqual({ success: false, message });
    expect(() => prompt.open(["nothing"])).toThrow(expect.objectContaining({ kind: "usage", target: "nothing" }));
  });

  it("can be chosen by the params", () => {
    const section = new MarkdownSection({
      title: "A",
      key: "a",
      template: "Long.",
      summary: "Short.",
      visibility: ({ isShort }: { readonly isShort: boolean }) => (isShort ? "summary" : "full"),
    });
    const chosen = new Prompt(new PromptTemplate({ ns: "demo", key: "chosen", sections: [section] }));
    expect(chosen.bind({ isShort: true }).render().summarised).toEqual(["a"]);
    expect(chosen.bind({ isShort: false }).render().summarised).toEqual([]);
  });
});

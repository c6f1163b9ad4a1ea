import { describe, expect, expectTypeOf, it } from "vitest";
import { MarkdownSection } from "./markdown-section.ts";
import type { PlaceholderValue } from "./placeholders.ts";
import type { ParamsOf } from "./section.ts";

const context = { path: "task" };

describe("a Markdown section", () => {
  it("fills its template from params and defaults", () => {
    const section = new MarkdownSection({
      title: "Task",
      key: "task",
      template: `
        Review \${path} at most \${times} times.
          - \${verbose}
      `,
      defaults: { times: 3 },
    });
    expect(section.render({ path: "src", verbose: false }, context)).toBe("Review src at most 3 times.\n  - false");
    expect(section.render({ path: "src", verbose: true, times: 1 }, context)).toContain("at most 1 times");
  });

  it("knows its params by type: from the template, the defaults, the predicate and the children", () => {
    const section = new MarkdownSection({
      title: "Task",
      key: "task",
      template: "${path} ${times}",
      defaults: { times: 3 },
      enabled: (params: { readonly isWanted: boolean }) => params.isWanted,
      children: [new MarkdownSection({ title: "Child", key: "child", template: "${name}" })],
    });
    type Params = ParamsOf<typeof section>;
    expectTypeOf<Params["path"]>().toEqualTypeOf<PlaceholderValue>();
    expectTypeOf<Params["times"]>().toEqualTypeOf<PlaceholderValue | undefined>();
    expectTypeOf<Params["isWanted"]>().toEqualTypeOf<boolean>();
    expectTypeOf<Params["name"]>().toEqualTypeOf<PlaceholderValue>();
    expectTypeOf<{ path: string; isWanted: boolean; name: string }>().toExtend<Params>();
    expectTypeOf<{ path: string; isWanted: boolean }>().not.toExtend<Params>();
  });

  it("takes the names of a text that is no literal from a list", () => {
    const template: string = ["Read", "${path}"].join(" ");
    const section = new MarkdownSection({ title: "Task", key: "task", template, params: ["path", "spare"] });
    expectTypeOf<keyof ParamsOf<typeof section>>().toEqualTypeOf<"path" | "spare">();
    expect(section.render({ path: "a.ts", spare: "" }, context)).toBe("Read a.ts");
  });

  it.each([
    ["a placeholder outside of the list", { template: "${path}", params: ["file"] }, "task.path"],
    ["a default without a placeholder", { template: "${path}", defaults: { file: "a" } }, "task.file"],
    ["a summary with a placeholder of its own", { template: "${path}", summary: "${file}" }, "task.file"],
    ["a placeholder that is none", { template: "${a b}" }, "task"],
    ["a summary that is wanted and missing", { template: "", visibility: "summary" }, "task"],
    ["a title of two lines", { template: "", title: "A\nB" }, "task"],
    ["a key out of shape", { template: "", key: "Task/1" }, "key of a section"],
  ])("refuses %s, and names the place", (_, options, target) => {
    const make = (): unknown => new MarkdownSection({ title: "Task", key: "task", ...(options as { template: "" }) });
    expect(make).toThrow(expect.objectContaining({ name: "SkeinError", kind: "usage", target }));
  });

  it("names the section and the param that is missing or no text", () => {
    const section = new MarkdownSection({ title: "Task", key: "task", template: "${path}" });
    const render = (params: object) => (): string => section.render(params, { path: "outer/task" });
    expect(render({})).toThrow("The section outer/task needs the param path");
    expect(render({ path: null })).toThrow(expect.objectContaining({ kind: "usage", target: "outer/task.path" }));
    expect(render({ path: {} })).toThrow("is not a string, number or boolean");
    expect(() => new MarkdownSection({ title: "T", key: "t", template: "${toString}" }).render({}, context)).toThrow(
      "needs the param toString",
    );
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MarkdownSection } from "./markdown-section.ts";
import { createOverrideStore } from "./override-store.ts";
import { createOverrides, type PromptOverrides } from "./prompt-overrides.ts";
import { PromptTemplate } from "./prompt-template.ts";
import { Prompt } from "./prompt.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-overrides-"));
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

const templateOf = (text: string) =>
  new PromptTemplate({
    ns: "review",
    key: "security",
    sections: [
      new MarkdownSection({ title: "Task", key: "task", template: text, params: ["path"] }),
      new MarkdownSection({ title: "Fixed", key: "fixed", template: "As it is.", acceptsOverrides: false }),
    ],
  });
const template = templateOf("Review ${path}.");
const better = createOverrides(template, { texts: { task: "Look hard at ${path}." } });
const renderWith = (overrides: PromptOverrides | undefined, text = "Review ${path}.") =>
  new Prompt(templateOf(text), { overrides }).bind({ path: "src" }).render();

describe("overrides", () => {
  it("take the place of a section's text, and are in the descriptor", () => {
    const rendered = renderWith(better);
    expect(rendered.text).toBe("## 1. Task\n\nLook hard at src.\n\n## 2. Fixed\n\nAs it is.");
    expect(rendered.warnings).toEqual([]);
    expect(rendered.descriptor.sections[0]).toMatchObject({
      hash: template.descriptor.sections[0]?.hash,
      overrideHash: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
    });
    expect(rendered.descriptor.hash).not.toBe(template.descriptor.hash);
  });

  it("are left out with a warning where the section's text has changed since", () => {
    const rendered = renderWith(better, "Review all of ${path}.");
    expect(rendered.text).toContain("Review all of src.");
    expect(rendered.warnings).toEqual([
      {
        type: "stale-override",
        path: "task",
        message: "The override of task (latest) is ignored: the section's text has changed since",
      },
    ]);
  });

  it("are left out with a warning where they do not fit the section", () => {
    const [task, fixed] = template.descriptor.sections;
    const rendered = renderWith({
      ...better,
      sections: {
        task: { hash: task!.hash, text: "Read ${secret}." },
        fixed: { hash: fixed!.hash, text: "Otherwise." },
        gone: { hash: fixed!.hash, text: "Nowhere." },
      },
    });
    expect(rendered.text).toContain("Review src.\n\n## 2. Fixed\n\nAs it is.");
    expect(rendered.warnings.map(({ type, path }) => [type, path])).toEqual([
      ["refused-override", "task"],
      ["refused-override", "fixed"],
      ["unknown-section", "gone"],
    ]);
  });

  it.each([
    ["of a section that is not there", { gone: "x" }],
    ["of a section that accepts none", { fixed: "x" }],
    ["with a placeholder that the section has not", { task: "${other}" }],
    ["with a placeholder that is none", { task: "${" }],
  ])("are not made %s", (_, texts: Record<string, string>) => {
    const make = (): unknown => createOverrides(template, { texts });
    expect(make).toThrow(expect.objectContaining({ kind: "usage", target: Object.keys(texts)[0] }));
  });

  it("of another prompt are refused", () => {
    expect(() => renderWith({ ...better, key: "other" })).toThrow(expect.objectContaining({ kind: "usage" }));
  });
});

describe("an override store", () => {
  it("gives back what was written, under its tag", async () => {
    const store = createOverrideStore(root);
    expect(await store.read(template)).toBeUndefined();
    const trial = { ...better, tag: "trial-2" };
    await store.write(better);
    await store.write(trial);
    expect(await store.read(template)).toEqual(better);
    expect(await store.read({ ns: "review", key: "security", tag: "trial-2" })).toEqual(trial);
    const tags = ["latest", "trial-2"].map((tag) => ({ ns: "review", key: "security", tag }));
    expect(await store.list()).toEqual(tags);
    expect(await store.list(template)).toEqual(tags);
    expect(await store.list({ ns: "review", key: "other" })).toEqual([]);
    expect(await store.remove(trial)).toBe(true);
    expect(await store.remove(trial)).toBe(false);
    expect(await store.list()).toEqual(tags.slice(0, 1));
  });

  it("writes the pinned format", async () => {
    await createOverrideStore(root).write(better);
    expect(await readFile(join(root, "review/security/latest.json"), "utf8")).toBe(
      `{
  "version": 1,
  "ns": "review",
  "key": "security",
  "tag": "latest",
  "sections": {
    "task": {
      "hash": "${template.descriptor.sections[0]?.hash}",
      "text": "Look hard at \${path}."
    }
  }
}
`,
    );
  });

  it("leaves a whole file, and nothing else, after many writers at once", async () => {
    const store = createOverrideStore(root);
    const writings = Array.from({ length: 20 }, (_, index) =>
      createOverrides(template, { texts: { task: `${index} ${"x".repeat(10_000)}` } }),
    );
    await Promise.all(writings.map((each) => store.write(each)));
    expect(writings).toContainEqual(await store.read(template));
    expect(await readdir(join(root, "review/security"))).toEqual(["latest.json"]);
  });

  it.each([
    ["no JSON", "{", "parse"],
    ["a later version", JSON.stringify({ ...better, version: 2 }), "parse"],
    ["an unknown field", JSON.stringify({ ...better, extra: 1 }), "parse"],
    ["another prompt's", JSON.stringify({ ...better, ns: "else" }), "parse"],
  ])("says which file it cannot read: %s", async (_, text, kind) => {
    await mkdir(join(root, "review/security"), { recursive: true });
    const target = join(root, "review/security/latest.json");
    await writeFile(target, text);
    await expect(createOverrideStore(root).read(template)).rejects.toMatchObject({ kind, target });
  });

  it("refuses names that lead out of its folder", async () => {
    const store = createOverrideStore(root);
    await expect(store.read({ ns: "..", key: "x" })).rejects.toMatchObject({ kind: "usage" });
    await expect(store.write({ ...better, tag: "../../x" })).rejects.toMatchObject({ kind: "usage" });
    await expect(store.remove({ ns: "a", key: "b/c" })).rejects.toMatchObject({ kind: "usage" });
  });

  it("says that it cannot write, and leaves what was there", async () => {
    await writeFile(join(root, "review"), "a file in the way");
    await expect(createOverrideStore(root).write(better)).rejects.toMatchObject({ kind: "filesystem" });
    expect(await readdir(root)).toEqual(["review"]);
  });
});

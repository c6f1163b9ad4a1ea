import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PromptTemplate } from "./prompt-template.ts";
import { Prompt } from "./prompt.ts";
import { WorkspaceSection } from "./workspace-section.ts";

let root: string;
let folder: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-section-")));
  folder = join(root, "made");
  await mkdir(folder);
  await mkdir(join(root, "repo"));
  for (let index = 10; index < 35; index += 1) await writeFile(join(root, `repo/${index}.txt`), "four");
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

test("a workspace is made when it is opened, told in the prompt, and gone afterwards", async () => {
  const section = new WorkspaceSection({
    mounts: [{ hostPath: join(root, "repo") }],
    allowedHostRoots: [root],
    folder,
  });
  expect(await readdir(folder)).toEqual([]);
  expect(() => section.path).toThrow(expect.objectContaining({ kind: "usage", target: "workspace" }));
  expect(section.render()).toMatch(/- repo$/);
  await using opened = await section.open();
  expect(opened).toBe(await section.open());
  expect(await readFile(join(section.path, "repo/10.txt"), "utf8")).toBe("four");
  const text = new Prompt(new PromptTemplate({ ns: "demo", key: "review", sections: [section] })).render().text;
  expect(text).toContain("- repo/ (25 files, 100 bytes)\n  - 10.txt\n");
  expect(text).toContain("  - 29.txt\n  - and 5 more");
  expect(text).not.toContain(section.path);
  await section.cleanup();
  await section.cleanup();
  expect(await readdir(folder)).toEqual([]);
});

test("nothing is left of a workspace whose mounts fail, and it can be opened again", async () => {
  const mounts = [{ hostPath: join(root, "repo") }, { hostPath: join(root, "repo"), mountPath: "large", maxBytes: 50 }];
  const section = new WorkspaceSection({ mounts, folder });
  await expect(section.open()).rejects.toMatchObject({ kind: "resource_exhausted" });
  await expect(section.open()).rejects.toMatchObject({ kind: "resource_exhausted" });
  expect(await readdir(folder)).toEqual([]);
});

test("a mount outside of the roots is refused before anything is made", async () => {
  const section = new WorkspaceSection({ mounts: [{ hostPath: "/etc" }], allowedHostRoots: [root], folder });
  await expect(section.open()).rejects.toMatchObject({ kind: "policy", target: "/etc" });
  expect(await readdir(folder)).toEqual([]);
});

test("the fingerprint follows the mounts and nothing else", () => {
  const make = (maxBytes: number): string =>
    new WorkspaceSection({ mounts: [{ hostPath: "/a", maxBytes }] }).fingerprint;
  expect(make(1)).toMatch(/^[0-9a-f]{16}$/);
  expect(make(1)).toBe(make(1));
  expect(make(1)).not.toBe(make(2));
});

import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readFrontMatter, readSkill, checkSkill, formatSkill, MAX_SKILL_FILE_BYTES, type Skill } from "./skill.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-skill-"));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

const TOP = "---\nname: lint-well\ndescription: Use it to lint\n---\n\nRun the linter.\n";

describe("a skill in a folder", () => {
  it("has its name and description in SKILL.md", async () => {
    await writeFile(join(folder, "SKILL.md"), TOP);
    await mkdir(join(folder, "scripts"));
    await writeFile(join(folder, "scripts/lint.sh"), "exit 0");
    const skill = { name: "lint-well", description: "Use it to lint", path: folder };
    expect(await readSkill(folder)).toEqual(skill);
    expect(await readSkill(join(folder, "SKILL.md"))).toEqual(skill);
  });

  it.each([
    ["without a SKILL.md", async () => await writeFile(join(folder, "README.md"), TOP), "no readable SKILL.md"],
    ["without a top", async () => await writeFile(join(folder, "SKILL.md"), "Run it."), "does not begin with"],
    [
      "with a name out of shape",
      async () => await writeFile(join(folder, "SKILL.md"), TOP.replace("lint-well", "../Lint")),
      "its name must be",
    ],
    [
      "with a description that is too long",
      async () => await writeFile(join(folder, "SKILL.md"), TOP.replace("Use it", "x".repeat(1025))),
      "its description must have",
    ],
    [
      "with a file that is too large",
      async () => {
        await writeFile(join(folder, "SKILL.md"), TOP);
        await writeFile(join(folder, "large"), Buffer.alloc(MAX_SKILL_FILE_BYTES + 1));
      },
      "is over 1048576 bytes",
    ],
    [
      "with too much in all",
      async () => {
        await writeFile(join(folder, "SKILL.md"), TOP);
        for (let file = 0; file < 10; file += 1) {
          await writeFile(join(folder, `part-${file}`), Buffer.alloc(MAX_SKILL_FILE_BYTES));
        }
      },
      "its files together are over 10485760 bytes",
    ],
    [
      "with a link",
      async () => {
        await writeFile(join(folder, "SKILL.md"), TOP);
        await symlink("/etc/passwd", join(folder, "passwd"));
      },
      "neither a file nor a folder",
    ],
    ["that is not there", async () => await rm(folder, { recursive: true }), "no such folder"],
  ])("is refused %s", async (_, make, message) => {
    await make();
    await expect(readSkill(folder)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining(message) as string,
    });
  });
});

describe("a skill as text", () => {
  it("becomes a SKILL.md that can be read again", async () => {
    const skill = { name: "quote", description: 'Says "yes": no', content: "Do it." };
    await writeFile(join(folder, "SKILL.md"), formatSkill(skill));
    expect(await readSkill(folder)).toEqual({ name: "quote", description: 'Says "yes": no', path: folder });
  });

  it.each([
    [{ name: "", description: "x", content: "" }],
    [{ name: "a".repeat(65), description: "x", content: "" }],
    [{ name: "a", description: " ", content: "" }],
    [{ name: "a", description: "x" }],
    [{ name: "a", description: "x", content: "", path: "" }],
    [{ name: "a", description: "x", content: "x".repeat(MAX_SKILL_FILE_BYTES + 1) }],
  ])("is refused out of shape", (skill) => {
    expect(() => checkSkill(skill as unknown as Skill)).toThrow(expect.objectContaining({ kind: "usage" }));
  });
});

describe("front matter", () => {
  it.each([
    ["---\nname: a\n---", { name: "a" }],
    ["---\r\nname: 'it''s'\r\nother: \"x\\ty\"\r\n---\r\n", { name: "it's", other: "x\ty" }],
    ["---\ndescription: >-\n  first\n  second\nname: a\n---\nBody", { description: "first second", name: "a" }],
    ["---\ntools:\n  - Read\nname: a: b\n---\n", { tools: "- Read", name: "a: b" }],
    ["name: a", undefined],
    ["---\nname: a", undefined],
  ])("of %o is %o", (text, fields) => expect(readFrontMatter(text)).toEqual(fields));
});

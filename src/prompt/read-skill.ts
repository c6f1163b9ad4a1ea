import { lstat, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readFrontMatter } from "./front-matter.ts";
import { checkSkill, MAX_SKILL_BYTES, MAX_SKILL_FILE_BYTES, wrongSkill, type SkillFolder } from "./skill.ts";

/** Reads a skill from its folder, or its SKILL.md: name and description from there, and the sizes of all its files checked. */
export async function readSkill(path: string): Promise<SkillFolder> {
  const folder = basename(path) === "SKILL.md" ? dirname(resolve(path)) : resolve(path);
  await checkFiles(folder);
  const text = await readFile(join(folder, "SKILL.md"), "utf8").catch((cause: unknown) => {
    throw wrongSkill(path, "it has no readable SKILL.md", cause);
  });
  const { name, description } = readFrontMatter(text) ?? {};
  if (name === undefined || description === undefined) {
    throw wrongSkill(path, "its SKILL.md does not begin with a name and a description");
  }
  return checkSkill({ name, description, path: folder });
}

async function checkFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw wrongSkill(folder, "there is no such folder", cause);
  });
  let total = 0;
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) continue;
    // A link would show the agent what is outside of the skill.
    if (!entry.isFile()) throw wrongSkill(folder, `${path} is neither a file nor a folder`);
    const { size } = await lstat(path);
    if (size > MAX_SKILL_FILE_BYTES) throw wrongSkill(folder, `${path} is over ${MAX_SKILL_FILE_BYTES} bytes`);
    total += size;
    if (total > MAX_SKILL_BYTES) throw wrongSkill(folder, `its files together are over ${MAX_SKILL_BYTES} bytes`);
  }
}

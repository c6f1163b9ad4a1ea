import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkSkill, formatSkill, type Skill } from "../skill.ts";
import { readSkill } from "../read-skill.ts";

/** Writes skills as a plugin of the CLI, which holds whatever folder for settings a session is resumed with. */
export async function placeSkillPlugin(skills: readonly Skill[], folder: string): Promise<void> {
  await mkdir(join(folder, ".claude-plugin"), { recursive: true });
  await writeFile(join(folder, ".claude-plugin/plugin.json"), JSON.stringify({ name: "skein", version: "1.0.0" }));
  await placeSkills(skills, join(folder, "skills"));
}

/** Writes a folder for each skill, by its name. */
async function placeSkills(skills: readonly Skill[], folder: string): Promise<void> {
  for (const skill of skills) {
    const { name } = checkSkill(skill);
    const place = join(folder, name);
    await mkdir(place, { recursive: true });
    if ("content" in skill) await writeFile(join(place, "SKILL.md"), formatSkill(skill));
    // A folder is looked at before it is copied: a link in it would show the agent what is outside.
    else await cp((await readSkill(skill.path)).path, place, { recursive: true, dereference: false });
  }
}

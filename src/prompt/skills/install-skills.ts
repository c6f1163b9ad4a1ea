import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClaudeOptions } from "../../engine/internal.ts";
import { createHeldFolder } from "../../isolation/internal.ts";
import { readSkill, checkSkill, formatSkill, type Skill } from "./skill.ts";

/** Adds a plugin with the skills to the turn's options; it is made in `folder`, or among the temporary files, and gone afterwards. */
export async function installSkills(
  skills: readonly Skill[],
  options: ClaudeOptions,
  folder?: string,
): Promise<AsyncDisposable & { readonly options: ClaudeOptions }> {
  if (skills.length === 0) return { options, [Symbol.asyncDispose]: async () => undefined };
  const held = await createHeldFolder("skills", folder);
  const remove = async (): Promise<void> => await held[Symbol.asyncDispose]();
  const path = join(held.path, "plugin");
  try {
    await writePlugin(skills, path);
  } catch (error) {
    await remove();
    throw error;
  }
  const plugins = [...(options.plugins ?? []), { type: "local" as const, path }];
  return { options: { ...options, plugins, skills: options.skills ?? "all" }, [Symbol.asyncDispose]: remove };
}

/** A plugin holds whatever folder for settings a session is resumed with. */
async function writePlugin(skills: readonly Skill[], plugin: string): Promise<void> {
  await mkdir(join(plugin, ".claude-plugin"), { recursive: true });
  await writeFile(join(plugin, ".claude-plugin/plugin.json"), JSON.stringify({ name: "skein", version: "1.0.0" }));
  for (const skill of skills) {
    const folder = join(plugin, "skills", checkSkill(skill).name);
    await mkdir(folder, { recursive: true });
    if ("content" in skill) await writeFile(join(folder, "SKILL.md"), formatSkill(skill));
    // A folder is looked at before it is copied: a link in it would show the agent what is outside.
    else await cp((await readSkill(skill.path)).path, folder, { recursive: true, dereference: false });
  }
}

import { join } from "node:path";
import type { ClaudeOptions } from "../../engine/index.ts";
import { createHeldFolder } from "../../isolation/index.ts";
import { placeSkillPlugin } from "../isolation/place-skills.ts";
import type { Skill } from "../skill.ts";

/** Skills as a plugin of the CLI, in a folder that is gone afterwards. */
export interface InstalledSkills extends AsyncDisposable {
  /** What the turn needs so that the agent finds them; nothing where there are none. */
  readonly options: Pick<ClaudeOptions, "plugins" | "skills">;
}

/** Writes the skills of a prompt to where the CLI can load them from. */
export async function installSkills(
  skills: readonly Skill[],
  given: Pick<ClaudeOptions, "plugins" | "skills"> = {},
): Promise<InstalledSkills> {
  if (skills.length === 0) return { options: {}, [Symbol.asyncDispose]: async () => undefined };
  const held = await createHeldFolder("skills");
  const remove = async (): Promise<void> => await held[Symbol.asyncDispose]();
  const path = join(held.path, "plugin");
  try {
    await placeSkillPlugin(skills, path);
  } catch (error) {
    await remove();
    throw error;
  }
  const plugins = [...(given.plugins ?? []), { type: "local" as const, path }];
  return { options: { plugins, skills: given.skills ?? "all" }, [Symbol.asyncDispose]: remove };
}

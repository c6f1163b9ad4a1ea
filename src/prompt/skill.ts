import { SkeinError } from "../core/index.ts";

/** Something that the agent can learn: a folder with a SKILL.md, or the text of one. */
export type Skill = SkillFolder | SkillText;

/** A skill as a folder: SKILL.md, and whatever it refers to. */
export interface SkillFolder {
  /** 1 to 64 of `a-z`, `0-9` and `-`. */
  readonly name: string;
  /** When the agent is to use it: 1 to 1024 characters. */
  readonly description: string;
  /** The folder; `readSkill` checks it. */
  readonly path: string;
}

/** A skill as text. */
export interface SkillText {
  readonly name: string;
  readonly description: string;
  /** What SKILL.md says below its front matter. */
  readonly content: string;
}

/** What one file of a skill may have, in bytes. */
export const MAX_SKILL_FILE_BYTES = 1024 * 1024;

/** What all files of a skill may have together, in bytes. */
export const MAX_SKILL_BYTES = 10 * 1024 * 1024;

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/u;

/** Checks the record; what is in a folder, `readSkill` checks. */
export function checkSkill<Given extends Skill>(skill: Given): Given {
  const { name, description } = skill;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw wrongSkill(name, "its name must be 1 to 64 of a-z, 0-9 and '-', not starting with '-'");
  }
  if (typeof description !== "string" || description.trim() === "" || description.length > 1024) {
    throw wrongSkill(name, "its description must have 1 to 1024 characters");
  }
  if ("path" in skill === "content" in skill) throw wrongSkill(name, "it must have either a path or content");
  if ("content" in skill && Buffer.byteLength(skill.content) > MAX_SKILL_FILE_BYTES) {
    throw wrongSkill(name, `its content is over ${MAX_SKILL_FILE_BYTES} bytes`);
  }
  return skill;
}

/** The SKILL.md of a skill that is text, with its front matter. */
export function formatSkill({ name, description, content }: SkillText): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${content.trim()}\n`;
}

/** The error for a skill that cannot be used. */
export function wrongSkill(name: unknown, why: string, cause?: unknown): SkeinError {
  return new SkeinError(`The skill ${String(name)} cannot be used: ${why}`, {
    kind: "usage",
    target: String(name),
    hint: "A skill is a folder with a SKILL.md that starts with its name and description between two lines of ---",
    cause,
  });
}

import { lstat, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SkeinError } from "../../core/internal.ts";

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

export interface SkillText extends Omit<SkillFolder, "path"> {
  /** What SKILL.md says below its front matter. */
  readonly content: string;
}

export const MAX_SKILL_FILE_BYTES = 1024 * 1024;

const MAX_SKILL_BYTES = 10 * 1024 * 1024;

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

export function formatSkill({ name, description, content }: SkillText): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${content.trim()}\n`;
}

function wrongSkill(name: unknown, why: string, cause?: unknown): SkeinError {
  return new SkeinError(`The skill ${String(name)} cannot be used: ${why}`, {
    kind: "usage",
    target: String(name),
    hint: "A skill is a folder with a SKILL.md that starts with its name and description between two lines of ---",
    cause,
  });
}

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

/** The texts at the top of a Markdown file, between two lines of `---`. Of YAML it reads plain, quoted and indented texts. */
export function readFrontMatter(text: string): Readonly<Record<string, string>> | undefined {
  const top = /^\uFEFF?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/su.exec(text)?.[1];
  if (top === undefined) return undefined;
  const fields = new Map<string, string>();
  let last: string | undefined;
  for (const line of top.split(/\r?\n/u)) {
    const [, key, value = ""] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/u.exec(line) ?? [];
    if (key !== undefined) {
      last = key;
      // A block begins with its mark alone; what belongs to it follows.
      fields.set(key, /^[|>][+-]?$/u.test(value.trim()) ? "" : unquote(value.trim()));
    } else if (last !== undefined && /^\s+\S/u.test(line)) {
      fields.set(last, `${fields.get(last)} ${line.trim()}`.trim());
    }
  }
  return Object.fromEntries(fields);
}

function unquote(value: string): string {
  if (value.startsWith("'") && value.endsWith("'") && value.length > 1) return value.slice(1, -1).replaceAll("''", "'");
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

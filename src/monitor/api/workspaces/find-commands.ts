import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { readSmallFile, tryLookAt } from "../../../git/index.ts";

/** Something that a prompt can name, as the files in a workspace's `.claude` have it. */
export interface FoundCommand {
  readonly kind: "command" | "skill" | "agent";
  readonly name: string;
  readonly description: string | null;
}

const MOST_FILES = 500;
const MOST_BYTES = 64 * 1024;
const DEEPEST = 4;

/** Finds the commands, skills and agents of a workspace. The files are read as text, links are not followed, and nothing is executed. */
export async function findCommands(directory: string): Promise<readonly FoundCommand[]> {
  const found = await Promise.all([
    findIn(directory, "command", ".claude/commands"),
    findIn(directory, "skill", ".claude/skills"),
    findIn(directory, "agent", ".claude/agents"),
  ]);
  return found.flat();
}

async function findIn(directory: string, kind: FoundCommand["kind"], folder: string): Promise<readonly FoundCommand[]> {
  const paths = await listMarkdown(directory, folder);
  return paths.flatMap((path) => {
    const name = kind === "skill" ? skillName(path) : basename(path, ".md");
    if (name === undefined || !/^[\w:.-]{1,100}$/u.test(name)) return [];
    const text = readSmallFile(join(directory, path), MOST_BYTES)?.toString("utf8");
    return text === undefined ? [] : [{ kind, name, description: descriptionOf(text) }];
  });
}

/** A skill is a folder with this file in it. */
function skillName(path: string): string | undefined {
  return /^\.claude\/skills\/([^/]+)\/SKILL\.md$/u.exec(path)?.[1];
}

async function listMarkdown(directory: string, top: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const folders = [top];
  for (let folder = folders.shift(); folder !== undefined && paths.length < MOST_FILES; folder = folders.shift()) {
    // Each folder on the way is looked at: a link may lead out of the workspace.
    if (!isPlainFolder(directory, folder)) continue;
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.slice(0, MOST_FILES)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && path.split("/").length <= DEEPEST) folders.push(path);
      else if (entry.isFile() && entry.name.endsWith(".md")) paths.push(path);
    }
  }
  return paths.slice(0, MOST_FILES).toSorted();
}

function isPlainFolder(directory: string, folder: string): boolean {
  const names = folder.split("/");
  return names.every((_, at) => tryLookAt(join(directory, ...names.slice(0, at + 1)))?.isDirectory() === true);
}

const MOST_CHARACTERS = 300;

/** What the head of the file says; where it says nothing, its first line of text. */
function descriptionOf(text: string): string | null {
  const [, head = "", rest = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/u.exec(text) ?? [];
  const said = /^description:[ \t]*(\S.*)$/mu.exec(head)?.[1]?.replace(/^(["'])(.*)\1$/u, "$2");
  const first = rest.split("\n").find((line) => line.trim() !== "");
  return (said ?? first)?.trim().slice(0, MOST_CHARACTERS) ?? null;
}

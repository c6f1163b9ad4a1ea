import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isInside, parseJson } from "../../core/internal.ts";
import { filesBelow, type ConfigurationFile } from "./read-configuration.ts";

/** Programs that run what a file of the folder says, and the file. */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(["npm", "npx", "pnpm", "yarn", "bun"].map((name) => [name, ["package.json"]])),
  make: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile"],
  docker: ["Dockerfile", "docker-compose.yml", "compose.yaml"],
};

/** What is run where a folder is named in the place of a program. */
const ENTRIES = ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py"];

const FOLDER_VARIABLE = /^\$\{?(?:CLAUDE_PROJECT_DIR|PWD)\}?(?=\/|$)/u;

/** The files of the folder that a configuration names, as far as its words tell. What those files load in turn is not looked at. */
export async function namedFiles(
  { place, path, text }: ConfigurationFile,
  directory: string,
): Promise<readonly string[]> {
  const words = new Set(textsOf(path, text).flatMap(wordsOf));
  const found: string[] = [];
  for (const word of words) {
    for (const from of new Set([directory, place])) {
      const names = [word.replace(FOLDER_VARIABLE, "."), ...(RUN_BY[word] ?? [])];
      for (const name of names) found.push(...(await filesAt(resolve(from, name), from)));
    }
  }
  return [...new Set(found)].toSorted();
}

async function filesAt(path: string, folder: string): Promise<readonly string[]> {
  if (!isInside(path, folder)) return [];
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return [path];
  if (!found?.isDirectory()) return [];
  // A folder of plugins is loaded as a whole.
  const plugins = await stat(join(path, ".claude-plugin")).catch(() => undefined);
  return plugins ? await filesBelow(path) : ENTRIES.map((name) => join(path, name));
}

/** The texts in which a program can be named: all of a JSON file; of a Markdown file its head and the commands in it. */
function textsOf(path: string, text: string): readonly string[] {
  if (path.endsWith(".json")) return stringsIn(parseJson(text) ?? text);
  if (!path.endsWith(".md")) return [];
  const head = /^---\n(.*?)\n---/su.exec(text)?.[1] ?? "";
  return [head, ...inlineCommands(text)];
}

/** The commands in a slash command or skill that the CLI runs when it is used. */
export function inlineCommands(text: string): readonly string[] {
  return [
    ...[...text.matchAll(/!`([^`]+)`/gu)].map(([, command = ""]) => command),
    ...[...text.matchAll(/^```!\s*\n(.*?)^```/gmsu)].map(([, command = ""]) => command.trim()),
  ];
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** Words as a shell may see them: split at quotes, and with the quotes taken out, as in `"$CLAUDE_PROJECT_DIR"/run.sh`. */
function wordsOf(text: string): readonly string[] {
  const split = [text, text.replaceAll(/["']/gu, "")].flatMap((each) => each.split(/[\s"'`;|&()<>=,]+/u));
  return [text, ...split].filter((word) => word !== "" && word.length < 4096);
}

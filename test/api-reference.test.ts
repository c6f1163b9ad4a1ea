import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { publicNames } from "./support/public-names.ts";

const FOLDER = "docs/api";
const { name: packageName, exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
};
const doors = Object.entries(exports)
  .filter(([subpath]) => !subpath.endsWith(".json"))
  .map(([subpath, { default: file }]) => ({
    page: `${(packageName + subpath.slice(1)).replaceAll("/", "-")}.md`,
    names: publicNames(file.replace("./dist/", "src/").replace(/js$/u, "ts")),
  }));
const read = (page: string): string => readFileSync(`${FOLDER}/${page}`, "utf8");

it("has a page for each subpath, and an index", () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(["README.md", ...doors.map(({ page }) => page)].toSorted());
});

it.each(doors)("says on $page of each name what the source says of it, or where that is said", ({ page, names }) => {
  const text = read(page);
  const missing = names.filter(({ name, doc }) => {
    const sentence = (doc ?? "").replaceAll(/\s+/gu, " ");
    const place = Math.max(text.indexOf(`\n## \`${name}\`\n`), text.indexOf(`\n- [\`${name}\`](`));
    return place === -1 || !text.slice(place, place + sentence.length + 200).includes(sentence);
  });
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it("names every name in the index", () => {
  const index = read("README.md");
  const missing = doors.flatMap(({ names }) => names).filter(({ name }) => !index.includes(`[\`${name}\`](`));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it("writes out what schemas read, with what is said of each field", () => {
  expect(partOf("skein-engine.md", "Attachment")).toEqual(`## \`Attachment\`

Type. Something that is sent along with a prompt. \`data\` is base64.

\`\`\`ts
type Attachment = Readonly<{
    type: "image";
    name: string;
    mediaType: "image/gif" | "image/jpeg" | "image/png" | "image/webp";
    data: string;
} | { type: "pdf"; name: string; data: string } | { type: "text"; name: string; text: string }>;
\`\`\``);
  expect(partOf("skein-engine.md", "ClaudeOptions")).toContain(
    "    /** Where the agent works; the current directory by default. */\n    cwd?: string;\n",
  );
  expect(doors.filter(({ page }) => /z\.Zod(?!Type<Data)/u.test(read(page)))).toEqual([]);
});

it("lists the members of classes and interfaces, private ones left out", () => {
  expect(partOf("skein-engine.md", "PluginTurn")).toContain(
    "- `readonly attempt: number`: 1, and one more for each retry that a plugin asked for.\n",
  );
  expect(doors.filter(({ page }) => /#private|- `(?:private|protected) /u.test(read(page)))).toEqual([]);
});

/** What a page has of a name. */
function partOf(page: string, name: string): string {
  const text = read(page);
  const begin = text.indexOf(`## \`${name}\`\n`);
  return text.slice(begin, text.indexOf("\n## ", begin + 1)).trimEnd();
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../src/cli/commands.ts";
import { describeCommand } from "../src/protocol/command/describe-command.ts";

const read = (file: string): string => readFileSync(file, "utf8");

describe("the index of the documents", () => {
  it.each([
    { index: "docs/README.md", folders: ["docs", "docs/guide", "docs/guide/dashboard", "docs/formats"] },
    { index: "docs/decisions/README.md", folders: ["docs/decisions"] },
    { index: "docs/reference/README.md", folders: ["docs/reference"] },
    { index: "docs/api/README.md", folders: ["docs/api"] },
  ])("$index has every page", ({ index, folders }) => {
    const linked = linksOf(index);
    const pages = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".md"))
        .map((name) => join(folder, name)),
    );
    expect(pages.filter((page) => page !== index && !linked.has(page))).toEqual([]);
  });

  it("leads to the other indexes", () => {
    const linked = linksOf("docs/README.md");
    const folders = readdirSync("docs").filter((name) => existsSync(join("docs", name, "README.md")));
    expect(folders.filter((name) => !linked.has(join("docs", name, "README.md")))).toEqual([]);
  });
});

describe("the guide", () => {
  const commands = COMMANDS.map(describeCommand);
  const guide = readdirSync("docs/guide", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => read(join("docs/guide", name)));

  it("names every command", () => {
    const isNamed = (name: string): boolean =>
      guide.some((text) => new RegExp(`(?:skein |\`)${name}\\b`, "u").test(text));
    expect(commands.map(({ name }) => name).filter((name) => !isNamed(name))).toEqual([]);
  });

  it.each(["run", "explore", "undo", "restore", "init", "status", "config"])("names every flag of %s", (name) => {
    const flags = Object.values(commands.find((command) => command.name === name)?.flags ?? {});
    const isNamed = (flag: string): boolean => guide.some((text) => new RegExp(`${flag}(?![\\w-])`, "u").test(text));
    expect(flags.filter((flag) => !isNamed(flag.split(" ")[0] ?? flag))).toEqual([]);
  });
});

describe("the page on troubleshooting", () => {
  const messages = (read("docs/guide/troubleshooting.md").match(/^> .+$/gmu) ?? []).map((line) => line.slice(2));
  const sources = sourceFiles("src").map((file) => withoutJoints(read(file)));

  it("quotes messages", () => {
    expect(messages.length).toBeGreaterThan(20);
  });

  it.each(messages)("quotes what the source says: %s", (message) => {
    const fixed = message.split("…").filter((part) => /\w{2}/u.test(part));
    const pattern = new RegExp(fixed.map(escaped).join(String.raw`[^\n]*?`), "u");
    expect(sources.some((text) => pattern.test(text))).toBe(true);
  });
});

/** The files of the repository that a page links to. */
function linksOf(page: string): ReadonlySet<string> {
  const links = [...read(page).matchAll(/\]\(([^()\s#]+)[^()\s]*\)/gu)].map(([, link = ""]) => link);
  return new Set(links.filter((link) => !/^[a-z]+:/u.test(link)).map((link) => normalize(join(dirname(page), link))));
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return path.endsWith(".ts") && !path.endsWith(".test.ts") ? [path] : [];
  });
}

/** A text that goes on in the next line is one text. */
function withoutJoints(text: string): string {
  return text.replaceAll(/["'`] \+\n\s*["'`]/gu, "");
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { z } from "zod";

const Packed = z.object({ files: z.array(z.object({ path: z.string() })) });
const SourceMap = z.object({
  sources: z.array(z.string()),
  sourcesContent: z.array(z.string().nullable()).default([]),
});
const LockEntry = z.object({ dev: z.boolean().optional(), hasInstallScript: z.boolean().optional() });
const Lock = z.object({ packages: z.record(z.string(), LockEntry) });

const root = fileURLToPath(new URL("..", import.meta.url));
const shipped = listPackage();
const shippedFolders = new Set([...shipped].flatMap(foldersAbove));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const named = (end: string) => [...shipped].filter((file) => file.endsWith(end));

it("ships nothing but what was built, and what a reader needs", () => {
  const tops = new Set([...shipped].map((file) => file.replace(/\/.*/, "")));
  expect([...tops].toSorted()).toEqual([
    "AGENTS.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SCHEMAS.md",
    "SECURITY.md",
    "dist",
    "docs",
    "examples",
    "package.json",
    "skein.config.schema.json",
  ]);
});

it("ships the target of every relative link of its Markdown, heading included", () => {
  expect(named(".md").flatMap(brokenLinks)).toEqual([]);
});

it("ships every document and example that its code names", () => {
  const names = named(".js").flatMap(
    (file) => read(file).match(/\b(?:docs|examples)\/[\w./-]*\w\.(?:md|ts|sh)\b/g) ?? [],
  );
  expect(names).not.toEqual([]);
  expect([...new Set(names)].filter((name) => !shipped.has(name))).toEqual([]);
});

it("ships the sources that its source maps name, inside of them", () => {
  const maps = named(".map").map((file) => SourceMap.parse(JSON.parse(read(file))));
  expect(maps).not.toEqual([]);
  const broken = maps.filter(({ sources, sourcesContent }) =>
    sources.some((_, at) => typeof sourcesContent[at] !== "string"),
  );
  expect(broken).toEqual([]);
});

it("ships every source map that its code names", () => {
  const missing = named("js").filter((file) => {
    const name = /^\/\/# sourceMappingURL=(.+)$/m.exec(read(file))?.[1];
    return name !== undefined && !name.startsWith("data:") && !shipped.has(join(dirname(file), name));
  });
  expect(missing).toEqual([]);
});

it("ships a binding of SQLite for every system that it runs on", () => {
  expect(named(".node").map((file) => file.split("/").slice(-2).join("/"))).toEqual([
    "darwin-arm64/@photostructure+sqlite.glibc.node",
    "darwin-x64/@photostructure+sqlite.glibc.node",
    "linux-arm64/@photostructure+sqlite.glibc.node",
    "linux-arm64/@photostructure+sqlite.musl.node",
    "linux-x64/@photostructure+sqlite.glibc.node",
    "linux-x64/@photostructure+sqlite.musl.node",
    "win32-arm64/@photostructure+sqlite.glibc.node",
    "win32-x64/@photostructure+sqlite.glibc.node",
  ]);
});

it("has no install script, and neither has what it depends on", () => {
  const { packages } = Lock.parse(JSON.parse(read("package-lock.json")));
  const scripted = Object.entries(packages).filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev);
  expect(scripted.map(([path]) => path)).toEqual([]);
});

/** The files that `npm pack` would put into the tarball, sorted. */
function listPackage(): ReadonlySet<string> {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--silent"];
  const output = execFileSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 ** 2 });
  // npm 12 gives an object by package name, earlier ones a list.
  const [packed] = Object.values(z.record(z.string(), Packed).or(z.array(Packed)).parse(JSON.parse(output)));
  return new Set(packed?.files.map(({ path }) => path).toSorted());
}

function foldersAbove(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** The links of a page that lead nowhere once the package is installed. */
function brokenLinks(page: string): string[] {
  return [...withoutCode(read(page)).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, link]) => link ?? "")
    .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
    .map((link) => `${page}: ${link}`);
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path)).replace(/\/$/, "");
  if (!shipped.has(target)) return heading === undefined && shippedFolders.has(target);
  return heading === undefined || headings(target).has(heading);
}

/** The anchors that GitHub gives to a page's headings. */
function headings(page: string): ReadonlySet<string> {
  if (!existsSync(join(root, page))) return new Set();
  const found = [...withoutFences(read(page)).matchAll(/^#+ +(.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
  return new Set(found);
}

const withoutFences = (text: string) => text.replace(/^( *)```[\s\S]*?^\1```$/gm, "");
const withoutCode = (text: string) => withoutFences(text).replace(/`[^`\n]*`/g, "");

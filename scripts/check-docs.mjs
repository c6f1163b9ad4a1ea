// Holds the documents to what they print: each TypeScript, JavaScript, shell and JSON block of README, guides and formats is checked
// against the built package, and run where it can run, with the offline model. `scripts/docs/read-blocks.mjs` says what a page can
// tell about a block. No page, with blocks or without, may have what a merge left behind. Pages may be named:
// `npm run docs -- docs/guide/traces.md`.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkTypes } from "./docs/check-types.mjs";
import { findConflictMarkers } from "./docs/find-conflict-markers.mjs";
import { makeModules } from "./docs/make-modules.mjs";
import { readBlocks } from "./docs/read-blocks.mjs";
import { runPage } from "./docs/run-page.mjs";
import { BUILT_IN_SCENARIOS, offlineEnvironment, startOfflineServer } from "../dist/offline/index.js";

const LANGUAGES = new Set(["ts", "js", "sh", "json", "jsonl", "text", "console"]);
const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv.slice(2);
const files =
  wanted.length > 0 ? wanted : ["README.md", ...pagesIn("docs/guide"), ...pagesIn("docs/formats"), ...tutorials()];

// A short path: the sandbox opens sockets below it, and the system limits how long the path of one may be.
const folder = realpathSync(mkdtempSync("/tmp/sd-"));
const server = await startOfflineServer({ scenario: BUILT_IN_SCENARIOS.todo });
try {
  const isMerged = checkMerges();
  process.exitCode = (await checkPages()) && isMerged ? 0 : 1;
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function checkMerges() {
  const pages = wanted.length > 0 ? wanted : [...pagesIn("."), ...foldersIn("docs").flatMap(pagesIn)];
  const markers = pages.flatMap((page) => findConflictMarkers(page, readFileSync(join(root, page), "utf8")));
  for (const { page, line, text } of markers) console.log(`✗ ${page}:${line}: a merge left this behind: ${text}`);
  return markers.length === 0;
}

async function checkPages() {
  const pages = files.map((page, number) => {
    const blocks = readBlocks(page, readFileSync(join(root, page), "utf8"));
    const strange = blocks.find(({ language }) => !LANGUAGES.has(language));
    if (strange) throw new Error(`${page}:${strange.line}: nothing here checks ${strange.language}`);
    const modules = makeModules(page, blocks, number);
    for (const module of modules)
      module.compiled = join(folder, "compiled", `${module.name}.${module.language === "ts" ? "js" : "mjs"}`);
    return { page, number, blocks, modules };
  });
  makeProject();
  const mistyped = checkTypes(
    folder,
    pages.flatMap(({ modules }) => modules),
    join(root, "node_modules", "typescript", "bin", "tsc"),
  );
  let isGood = true;
  const waiting = [...pages];
  const next = async () => {
    for (let page = waiting.shift(); page; page = waiting.shift()) isGood = (await checkPage(page, mistyped)) && isGood;
  };
  // Two at a time: part of a turn is waiting.
  await Promise.all([next(), next()]);
  return isGood;
}

async function checkPage(page, mistyped) {
  const startedAt = performance.now();
  const place = {
    folder: join(folder, `p${page.number}`),
    modelEnv: offlineEnvironment(server.url),
    binaries: join(folder, "node_modules", ".bin"),
  };
  const wrong = mistyped.filter((problem) => problem.page === page.page);
  // What does not compile is not run: it would only say so again.
  const problems = wrong.length > 0 ? wrong : await runPage(page, place);
  const checked = page.blocks.filter(({ language }) => language !== "text" && language !== "console");
  const left = checked.filter(({ notRun }) => notRun !== undefined).length;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const count = `${checked.length} blocks${left > 0 ? `, ${left} not run` : ""}`;
  console.log(`${problems.length === 0 ? "✓" : "✗"} ${page.page} ${count}, ${seconds} s`);
  for (const { line, text } of problems) console.log(`  ${page.page}:${line}: ${text.replaceAll("\n", "\n    ")}`);
  return problems.length === 0;
}

/** A project in which the package is installed, as the compiler and Node see it. */
function makeProject() {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  mkdirSync(join(folder, "modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  symlinkSync(root, join(modules, "skein"));
  for (const name of ["zod", "@types", "@opentelemetry"])
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  symlinkSync(join(root, "dist", "cli", "main.js"), join(modules, ".bin", "skein"));
}

function pagesIn(path) {
  return readdirSync(join(root, path))
    .filter((file) => file.endsWith(".md"))
    .toSorted()
    .map((file) => join(path, file));
}

/** The folder and all below it. */
function foldersIn(path) {
  const inner = readdirSync(join(root, path), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [path, ...inner.flatMap(({ name }) => foldersIn(`${path}/${name}`))];
}

function tutorials() {
  return readdirSync(join(root, "docs"))
    .filter((file) => /^tutorial.*\.md$/.test(file))
    .map((file) => `docs/${file}`);
}

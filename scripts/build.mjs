// Builds `dist`: puts SQLite's binding in, compiles the scanner of transcripts' lines and the library, removes outputs whose source is gone, bundles
// the command and the dashboard, lists the commands, writes the manual page, and makes `skein` executable.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDashboard } from "./build/build-dashboard.mjs";
import { bundleCommand } from "./build/bundle-command.mjs";
import { carrySqlite } from "./build/carry-sqlite.mjs";
import { compileScanner } from "./build/compile-scanner.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const COMMAND_LIST = "command-list.json";
const PARSER_WORDS = "parser-words.json";
const MANUAL_PAGE = "skein.1";
/** What the compiler and the dashboard's build remember of their last run lies in `dist`, so that removing that means a whole build. */
const DASHBOARD_STAMP = ".dashboard-stamp";
const KEPT = [MANUAL_PAGE, ".tsbuildinfo", DASHBOARD_STAMP];

/** What is not compiled: `carrySqlite`, `compileScanner`, `bundleCommand` and Vite keep it in order. */
const CARRIED = join(dist, "carried") + sep;
const BUNDLE = join(dist, "cli") + sep;
const DASHBOARD = join(dist, "dashboard") + sep;

carrySqlite(root, join(CARRIED, "sqlite"));
await compileScanner(root, join(CARRIED, "line-scanner"));
const compiled = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
removeOrphans();
if (compiled.status === 0) {
  await bundleCommand(root, BUNDLE, [COMMAND_LIST, PARSER_WORDS]);
  await listCommands();
}
makeExecutable(join(BUNDLE, "main.js"));
const hasDashboard = buildDashboard(root, DASHBOARD, join(dist, DASHBOARD_STAMP));
process.exit(compiled.status || (hasDashboard ? 0 : 1));

/** `tsc` never deletes: without this, a renamed module would stay in `dist` and be published. */
function removeOrphans() {
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const output = join(entry.parentPath ?? entry.path, entry.name);
    const source = join(root, "src", relative(dist, output).replace(/(\.d\.ts|\.js\.map|\.js)$/, ".ts"));
    if ([CARRIED, BUNDLE, DASHBOARD].some((folder) => output.startsWith(folder))) continue;
    if (!existsSync(source) && !KEPT.includes(entry.name)) rmSync(output);
  }
}

/** What `skein --help` and `skein log --help` show is written down here, so that showing it loads none of the commands; and the manual page, which npm links to. */
async function listCommands() {
  const { COMMAND_NAMES, describeWords, listCommand, loadCommand, manualPage, parserWords } = await import(
    new URL("../dist/cli/index.js", import.meta.url).href
  );
  const commands = await Promise.all(COMMAND_NAMES.map(loadCommand));
  const list = commands.map(listCommand);
  writeFileSync(join(BUNDLE, COMMAND_LIST), JSON.stringify(list));
  const words = commands.map((command) => [command.name, parserWords(command)]);
  writeFileSync(join(BUNDLE, PARSER_WORDS), JSON.stringify(Object.fromEntries(words)));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(dist, MANUAL_PAGE), manualPage(await describeWords({ list, load: loadCommand }), version));
}

/** `npx` links to this file and changes its mode only the first time; a later build must keep it executable. */
function makeExecutable(file) {
  if (existsSync(file)) chmodSync(file, 0o755);
}

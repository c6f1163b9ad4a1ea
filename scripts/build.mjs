// Builds `dist`: compiles, puts SQLite's binding in, removes outputs whose source is gone, lists the commands, writes the manual page, and makes
// `skein` executable.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { carrySqlite } from "./build/carry-sqlite.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const COMMAND_LIST = "command-list.json";
const MANUAL_PAGE = "skein.1";
/** What the compiler remembers of its last run lies in `dist`, so that removing that means a whole build. */
const KEPT = [COMMAND_LIST, MANUAL_PAGE, ".tsbuildinfo"];

/** What is not compiled: `carrySqlite` keeps it in order. */
const CARRIED = join(dist, "carried") + sep;

carrySqlite(root, join(CARRIED, "sqlite"));
const compiled = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
removeOrphans();
if (compiled.status === 0) await listCommands();
makeExecutable(join(dist, "cli", "main.js"));
process.exit(compiled.status ?? 1);

/** `tsc` never deletes: without this, a renamed module would stay in `dist` and be published. */
function removeOrphans() {
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const output = join(entry.parentPath ?? entry.path, entry.name);
    const source = join(root, "src", relative(dist, output).replace(/(\.d\.ts|\.js\.map|\.js)$/, ".ts"));
    if (output.startsWith(CARRIED)) continue;
    if (!existsSync(source) && !KEPT.includes(entry.name)) rmSync(output);
  }
}

/** What `skein --help` shows is written down here, so that showing it loads none of the commands; and the manual page, which npm links to. */
async function listCommands() {
  const { COMMANDS } = await import(new URL("../dist/cli/commands.js", import.meta.url).href);
  const { listCommand } = await import(new URL("../dist/protocol/command/describe-command.js", import.meta.url).href);
  const list = COMMANDS.map(listCommand);
  writeFileSync(join(dist, "cli", COMMAND_LIST), JSON.stringify(list));
  const { describeWords } = await import(new URL("../dist/cli/shell/describe-words.js", import.meta.url).href);
  const { manualPage } = await import(new URL("../dist/cli/shell/manual-page.js", import.meta.url).href);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const load = async (name) => COMMANDS.find((command) => command.name === name);
  writeFileSync(join(dist, MANUAL_PAGE), manualPage(await describeWords({ list, load }), version));
}

/** `npx` links to this file and changes its mode only the first time; a later build must keep it executable. */
function makeExecutable(file) {
  if (existsSync(file)) chmodSync(file, 0o755);
}

// Writes SCHEMAS.md, docs/reference/ and skein.config.schema.json from the command objects and the schemas, and docs/api/ from the
// doc comments; with --check it only says what is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ConfigFile } from "../dist/config/config-file.js";
import { COMMAND_NAMES, describeCommand, loadCommand } from "../dist/cli/index.js";
import { apiPages } from "./reference/api-pages.mjs";
import { commandPage } from "./reference/command-page.mjs";
import { schemasPage } from "./reference/schemas-page.mjs";
import { screenOf } from "./reference/screens.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs", "reference");
const apiFolder = join(root, "docs", "api");
const loaded = await Promise.all(COMMAND_NAMES.map(loadCommand));
const commands = loaded.map((command) => ({ ...describeCommand(command), heading: command.heading ?? "Other:" }));
const NOTE = "<!-- Written by scripts/write-reference.mjs from the commands themselves. -->";

const files = new Map([
  [
    join(root, "SCHEMAS.md"),
    schemasPage(commands, { note: NOTE, linkTo: (command) => `docs/reference/${fileName(command)}.md` }),
  ],
  [join(root, "skein.config.schema.json"), `${JSON.stringify(z.toJSONSchema(ConfigFile, { io: "input" }), null, 2)}\n`],
  [join(folder, "README.md"), indexPage()],
  ...commands.map((command) => [
    join(folder, `${fileName(command)}.md`),
    commandPage(command, { note: NOTE, screen: screenOf(command.name, root) }),
  ]),
  ...[...apiPages(root)].map(([name, text]) => [join(apiFolder, name), text]),
]);
const known = [folder, apiFolder]
  .filter(existsSync)
  .flatMap((path) => readdirSync(path).map((name) => join(path, name)));
const gone = known.filter((path) => !files.has(path));
const stale = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);

if (process.argv.includes("--check")) {
  for (const path of [...gone, ...stale.map(([written]) => written)]) console.log(`stale: ${relative(root, path)}`);
  process.exitCode = gone.length + stale.length > 0 ? 1 : 0;
} else {
  for (const path of gone) rmSync(path);
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function fileName({ name }) {
  return name.replaceAll(" ", "-");
}

function indexPage() {
  const rows = commands.map(
    (command) => `| [\`skein ${command.name}\`](${fileName(command)}.md) | ${command.summary} |`,
  );
  return `${NOTE}

# Commands

| command | does |
| --- | --- |
${rows.join("\n")}

Each takes \`--output-format\` (\`--json\` or \`-j\` for \`json\`) and \`--envelope-version\`. [SCHEMAS.md](../../SCHEMAS.md) has the envelope around the data, and the errors.
`;
}

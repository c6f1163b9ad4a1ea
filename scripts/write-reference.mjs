// Writes SCHEMAS.md, docs/reference/ and skein.config.schema.json from the command objects and the schemas, and docs/api/ from the
// doc comments; with --check it only says what is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { configFileSchema } from "../dist/config/config-file.js";
import { COMMANDS } from "../dist/cli/commands.js";
import { describeCommand } from "../dist/protocol/command/describe-command.js";
import { ErrorData } from "../dist/protocol/command/envelope.js";
import { apiPages } from "./reference/api-pages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs", "reference");
const apiFolder = join(root, "docs", "api");
const commands = COMMANDS.map((command) => ({ ...describeCommand(command), heading: command.heading ?? "Other:" }));
const NOTE = "<!-- Written by scripts/write-reference.mjs from the commands themselves. -->";

const files = new Map([
  [join(root, "SCHEMAS.md"), schemasPage()],
  [join(root, "skein.config.schema.json"), `${JSON.stringify(configFileSchema(), null, 2)}\n`],
  [join(folder, "README.md"), indexPage()],
  ...commands.map((command) => [join(folder, `${fileName(command)}.md`), commandPage(command)]),
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

function commandPage(command) {
  const { name, summary, positional, flags, short_flags: shorts, args, examples, streaming } = command;
  const isRequired = (field) => args.required?.includes(field) ?? false;
  const places = positional.map((field) => (isRequired(field) ? `<${field}>` : `[${field}]`));
  const rows = [
    ...positional.map((field) => [field, `\`<${field}>\``]),
    ...Object.entries(flags).map(([field, flag]) => [
      field,
      shorts[field] ? `\`${shorts[field]}\`, \`${flag}\`` : `\`${flag}\``,
    ]),
  ];
  const table = rows.map(
    ([field, shown]) =>
      `| ${shown} | ${typeText(args.properties[field])} | ${cell(args.properties[field].description ?? "")} |`,
  );
  const stream = {
    never: "",
    "on-request": "With `--output-format stream-json` there is a line for each event before the envelope.\n\n",
    always: "In the JSON formats there is a line for each event before the envelope.\n\n",
  };
  return `${NOTE}

# skein ${name}

${summary}.

    skein ${[name, ...places].join(" ")}

${table.length === 0 ? "" : `| argument | takes | meaning |\n| --- | --- | --- |\n${table.join("\n")}\n\n`}${examples.length === 0 ? "" : `Examples:\n\n${examples.map((example) => `    ${example}`).join("\n")}\n\n`}${stream[streaming]}## Data

\`\`\`json
${JSON.stringify(withoutDialect(command.data), null, 2)}
\`\`\`
`;
}

function typeText(schema) {
  const type = schema.enum ? schema.enum.map((value) => `\`${value}\``).join(", ") : (schema.type ?? "text");
  return schema.default === undefined ? type : `${type}; default ${cell(JSON.stringify(schema.default))}`;
}

function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function withoutDialect(schema) {
  return { ...schema, $schema: undefined };
}

/** What all commands have in common. What each takes and returns is on its own page, and only there. */
function schemasPage() {
  return `${NOTE}

# Schemas

With \`--output-format json\` standard output holds exactly one envelope on one line. It has \`timestamp\`, \`command\`, \`exit_code\` (the same as
the process's), \`output_format\`, \`schema_version\`, and either \`data\` or \`error\`, never both. With \`--envelope-version 1\` all of it is
flat and \`schema_version\` is \`1.0\`: the fields of \`data\` beside the common ones and \`kind\`, which is the command; an error has \`type\` (\`error\`),
\`kind\`, \`error\` (the message) and \`hint\` there, and what else is known. What each command takes and returns in \`data\` is on [its page](docs/reference/README.md);
\`skein schema\` prints all of it as JSON Schema, for programs.

| exit code | meaning |
| --- | --- |
| 0 | success |
| 1 | error or not found |
| 2 | timeout |
| 130 | interrupted twice |

## error

\`\`\`json
${JSON.stringify(withoutDialect(z.toJSONSchema(ErrorData)), null, 2)}
\`\`\`
`;
}

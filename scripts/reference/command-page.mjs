// The page of one command: an example of its output, then what each field means, and last the JSON Schema.
import { listFields } from "../../dist/cli/index.js";
import { cell, fieldTable, folded } from "./markdown.mjs";

const STREAM = {
  never: "",
  "on-request": "With `--output-format stream-json` there is a line for each event before the envelope",
  always: "In the JSON formats there is a line for each event before the envelope",
};

/** `screen` is what the command really printed, `{ command, text }`, where it is pinned. */
export function commandPage(command, { note, screen }) {
  const { name, summary, positional, args, examples } = command;
  const isRequired = (field) => args.required?.includes(field) ?? false;
  const places = positional.map((field) => (isRequired(field) ? `<${field}>` : `[${field}]`));
  const parts = [
    `${note}\n\n# skein ${name}`,
    `${summary}.`,
    `    skein ${[name, ...places].join(" ")}`,
    ...(examples.length === 0 ? [] : [`Examples:\n\n${examples.map((example) => `    ${example}`).join("\n")}`]),
    ...(screen ? [`## Output\n\n\`\`\`console\n$ ${screen.command}\n${screen.text.trimEnd()}\n\`\`\``] : []),
    `## Data\n\nWhat \`data\` of the envelope has with \`--output-format json\`:\n\n${fieldTable(listFields(command.data))}`,
    ...argumentPart(command),
    ...eventPart(command),
    ...errorPart(command),
    `## JSON Schema\n\n${folded("JSON Schema of `data`", command.data)}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function argumentPart({ positional, flags, short_flags: shorts, args }) {
  const shown = [
    ...positional.map((field) => [field, `\`<${field}>\``]),
    ...Object.entries(flags).map(([field, flag]) => [
      field,
      shorts[field] ? `\`${shorts[field]}\`, \`${flag}\`` : `\`${flag}\``,
    ]),
  ];
  if (shown.length === 0) return [];
  const rows = shown.map(
    ([field, words]) =>
      `| ${words} | ${typeText(args.properties[field])} | ${cell(args.properties[field].description ?? "")} |`,
  );
  return [`## Arguments\n\n| argument | takes | meaning |\n| --- | --- | --- |\n${rows.join("\n")}`];
}

function typeText(schema) {
  const type = schema.enum ? schema.enum.map((value) => `\`${value}\``).join(", ") : (schema.type ?? "text");
  return schema.default === undefined ? type : `${type}; default ${cell(JSON.stringify(schema.default))}`;
}

function eventPart({ streaming, has_turn_events: hasTurns, events }) {
  if (streaming === "never") return [];
  const turns = hasTurns ? [`: [the events of a turn](../../SCHEMAS.md#events-of-a-turn)`] : [];
  const own = Object.entries(events).map(
    ([type, schema]) => `### ${type}\n\n${schema.description}.\n\n${fieldTable(listFields(schema))}`,
  );
  return [`## Events\n\n${STREAM[streaming]}${turns.join("")}.`, ...own];
}

function errorPart({ error_details: details }) {
  if (!details) return [];
  return [
    `## Error\n\nBeside [what every error has](../../SCHEMAS.md#error), an error of this command has:\n\n${fieldTable(listFields(details), 2)}`,
  ];
}

// SCHEMAS.md: what all commands have in common. What each takes and returns is on its own page, and only there.
import { z } from "zod";
import { describeTurnEvents, ErrorData, ErrorDetails, listFields } from "../../dist/cli/index.js";
import { fieldTable, folded } from "./markdown.mjs";

export function schemasPage(commands, { note, linkTo }) {
  const error = z.toJSONSchema(ErrorData);
  return `${note}

# Schemas

With \`--output-format json\` standard output holds exactly one envelope on one line. It has \`timestamp\`, \`command\`, \`exit_code\` (the same as
the process's), \`output_format\`, \`schema_version\`, and either \`data\` or \`error\`, never both. With \`--envelope-version 1\` all of it is
flat and \`schema_version\` is \`1.0\`: the fields of \`data\` beside the common ones and \`kind\`, which is the command; an error has \`type\` (\`error\`),
\`kind\`, \`error\` (the message) and \`hint\` there, and what else is known. What each command takes and returns in \`data\` is on [its page](docs/reference/README.md),
each field with what it means; \`skein schema\` prints all of it as JSON Schema, for programs.

Within one \`schema_version\` fields are added, and none is removed or changes its type: \`test/pins/fields.txt\` has them all.

| exit code | meaning |
| --- | --- |
| 0 | success |
| 1 | error or not found |
| 2 | timeout |
| 130 | interrupted twice |

## error

${fieldTable(listFields(error))}

Beside these stands what else is known of the failure:

${fieldTable(listFields(z.toJSONSchema(ErrorDetails)))}

and these fields of single commands, which are described on their pages:

${errorTable(commands, linkTo)}

${folded("JSON Schema of error", error)}

## Events of a turn

With \`--output-format stream-json\` commands that run turns write a line for each of these events, before the envelope:
${links(
  commands.filter((command) => command.has_turn_events),
  linkTo,
)}. \`raw\`, \`input\`, \`output\`, \`data\` and \`structured_output\` are kept as they are; the other fields are snake_case.

${turnEvents()}

## Other events

${eventTable(commands, linkTo)}
`;
}

function links(commands, linkTo) {
  return commands.map((command) => `[${command.name}](${linkTo(command)})`).join(", ");
}

function errorTable(commands, linkTo) {
  const rows = commands
    .filter(({ error_details: details }) => details)
    .map((command) => {
      const names = Object.keys(command.error_details.properties).map((name) => `\`${name}\``);
      return `| ${links([command], linkTo)} | ${names.join(", ")} |`;
    });
  return `| command | fields |\n| --- | --- |\n${rows.join("\n")}`;
}

/** What all have is told once. */
function turnEvents() {
  const events = Object.entries(describeTurnEvents()).map(([type, schema]) => ({
    type,
    happens: String(schema.description),
    fields: listFields(schema),
  }));
  const [first] = events;
  const common = first.fields.filter(({ path }) =>
    events.every(({ fields }) => fields.some((field) => field.path === path)),
  );
  const isCommon = ({ path }) => common.some((field) => field.path === path);
  const parts = events.map(({ type, happens, fields }) => {
    const own = fields.filter((field) => !isCommon(field));
    return `### ${type}\n\n${happens}.${own.length === 0 ? "" : `\n\n${fieldTable(own)}`}`;
  });
  return `Each has:\n\n${fieldTable(common.map((field) => (field.path === "type" ? { ...field, type: "string" } : field)))}\n\n${parts.join("\n\n")}`;
}

function eventTable(commands, linkTo) {
  const rows = commands.flatMap((command) =>
    Object.entries(command.events).map(([type, schema]) => {
      const names = Object.keys(schema.properties).filter((name) => name !== "type");
      return `| ${links([command], linkTo)} | \`${type}\` | ${schema.description} | ${names.map((name) => `\`${name}\``).join(", ")} |`;
    }),
  );
  return `| command | event | happens | fields |\n| --- | --- | --- | --- |\n${rows.join("\n")}`;
}

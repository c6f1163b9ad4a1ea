import { z } from "zod";
import { SkeinError } from "../../../core/index.ts";
import { CommandDescription, type CommandTable, describeCommand, ErrorData } from "../../../protocol/index.ts";
import { defineCommand } from "../../define-command.ts";
import { optionalArgument } from "../../common-flags.ts";

const data = z.strictObject({
  /** The version of the envelope that `data` and `error` are parts of. */
  envelope_version: z.literal("2.0"),
  commands: z.array(CommandDescription),
  error_schema: z.record(z.string(), z.unknown()),
});

export const schema = defineCommand({
  name: "schema",
  summary: "Print what commands take and return",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    command: optionalArgument("Only this command (default: all of them)"),
  }),
  positional: ["command"],
  data,
  examples: ["schema", "schema run", 'schema "offline serve"'],
  async run({ command }, { commands }) {
    const names = command === undefined ? commands.list.map(({ name }) => name) : [findName(command, commands)];
    const described = await Promise.all(names.map(async (name) => describeCommand(await commands.load(name))));
    return {
      envelope_version: "2.0" as const,
      commands: described,
      error_schema: z.toJSONSchema(ErrorData),
    };
  },
  format: (found) => `${JSON.stringify(found, null, 2)}\n`,
});

function findName(command: string, { list }: CommandTable): string {
  if (list.some(({ name }) => name === command)) return command;
  throw new SkeinError(`There is no command ${JSON.stringify(command)}`, {
    kind: "usage",
    target: command,
    hint: "skein --help lists the commands",
  });
}

import { z } from "zod";
import { SkeinError } from "../../../core/internal.ts";
import {
  CommandDescription,
  describeCommand,
  describeTurnEvents,
  ErrorDetails,
  ErrorData,
  powerFlags,
  serveMcp,
  serveRpc,
  type CommandTable,
} from "../../../protocol/index.ts";
import { optionalArgument, switchFlag, textFlag } from "../../common-flags.ts";
import { defineCommand } from "../../define-command.ts";
import { findDirectory } from "../../open-workspace.ts";

export const rpc = defineCommand({
  name: "rpc",
  summary: "Serve all commands over JSON-RPC",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    abortOnEnd: switchFlag("When the input ends, stop running requests instead of finishing them"),
  }),
  data: z.strictObject({
    requests: z.int().describe("How many requests were answered"),
    failed: z.int().describe("How many of them with an error"),
  }),
  streaming: "always",
  examples: ["rpc", `rpc <<< '{"jsonrpc":"2.0","id":1,"method":"log","params":{"limit":5}}'`],
  async run({ abortOnEnd }, context) {
    return { ...(await serveRpc(context, { abortOnEnd })) };
  },
});

/** Serves Skein to an agent or an editor, within bounds that only the person who starts it can widen. */
export const mcp = defineCommand({
  name: "mcp",
  summary: "Serve Skein to agents and editors over MCP",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    root: textFlag(
      "directory",
      "The folder the model may work in and whose records it may read, with all its subfolders (default: here)",
    ),
    maxCostUsd: z.coerce.number().positive().default(5).meta({
      label: "amount",
      description: "Spending limit for all runs of the model together",
    }),
    ...powerFlags,
  }),
  data: z.strictObject({
    calls: z.int().describe("How many tool calls were answered"),
    failed: z.int().describe("How many of them with an error"),
  }),
  streaming: "always",
  examples: ["mcp", "mcp --root ./my-project --max-cost-usd 2 --allow-restore"],
  async run(given, context) {
    const root = await findDirectory(given.root, {});
    return { ...(await serveMcp(context, { ...given, root })) };
  },
});

export const schema = defineCommand({
  name: "schema",
  summary: "Print what commands take and return",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({ command: optionalArgument("Only this command (default: all of them)") }),
  positional: ["command"],
  data: z.strictObject({
    envelope_version: z.literal("2.0").describe("The version of the envelope that `data` and `error` are parts of"),
    commands: z.array(CommandDescription).describe("What each command takes and returns"),
    error_schema: z.record(z.string(), z.unknown()).describe("The JSON Schema of `error`, which all commands share"),
    error_details: z
      .record(z.string(), z.unknown())
      .describe("The JSON Schema of what any error may have beside it, each field where it is known"),
    turn_events: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .describe("The JSON Schema of each event of a turn, by its type"),
  }),
  examples: ["schema", "schema run", 'schema "offline serve"'],
  async run({ command }, { commands }) {
    const names = command === undefined ? commands.list.map(({ name }) => name) : [findName(command, commands)];
    const described = await Promise.all(names.map(async (name) => describeCommand(await commands.load(name))));
    return {
      envelope_version: "2.0" as const,
      commands: described,
      error_schema: z.toJSONSchema(ErrorData),
      error_details: z.toJSONSchema(ErrorDetails),
      turn_events: { ...describeTurnEvents() },
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

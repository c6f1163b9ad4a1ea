import { z } from "zod";
import { SkeinError, ownValue } from "../../core/internal.ts";
import type { ClaudeSDKClient } from "../../engine/internal.ts";
import type { MessagesRequest } from "../../offline/internal.ts";

export const OfferedCommand = z.strictObject({
  name: z.string().describe("What is typed after the slash"),
  description: z.string().describe("What it does, in the words of who offers it"),
  argument_hint: z.string().describe("What it takes, such as `<file>`; empty where nothing is said"),
  aliases: z.array(z.string()).describe("Other names of it"),
  source: z
    .enum(["builtin", "plugin", "mcp", "project", "user", "other"])
    .describe(
      "Whose it is: Claude Code's own, a plugin's, a tool server's, the project's, the user's, or somebody else's",
    ),
  plugin: z.string().nullable().describe("The plugin that has it; null where none has"),
  is_skill: z.boolean().describe("Whether the model can use it by itself too"),
  is_terminal_only: z.boolean().describe("Whether it only makes sense at a terminal of Claude Code's own"),
});
export type OfferedCommand = z.infer<typeof OfferedCommand>;

type ToldCommand = Awaited<ReturnType<ClaudeSDKClient["supportedCommands"]>>[number];

export function toOfferedCommand(
  told: ToldCommand,
  session: Readonly<Record<"skills" | "terminalCommands" | "plugins", readonly string[]>>,
): OfferedCommand {
  const { name } = told;
  const plugin = session.plugins.find((one) => name.startsWith(`${one}:`)) ?? null;
  const { source, description } = findSource(told, plugin);
  return {
    name,
    description,
    argument_hint: told.argumentHint,
    aliases: [...(told.aliases ?? [])],
    source,
    plugin,
    is_skill: session.skills.includes(name),
    is_terminal_only: session.terminalCommands.includes(name),
  };
}

/** The CLI marks its own commands; of the others it writes the origin behind the description. */
function findSource(told: ToldCommand, plugin: string | null): Pick<OfferedCommand, "source" | "description"> {
  const { name, description } = told;
  if (plugin !== null) {
    const mark = `(${plugin}) `;
    const bare = description.startsWith(mark) ? description.slice(mark.length) : description;
    return { source: "plugin", description: bare };
  }
  if (told.builtin) return { source: "builtin", description };
  if (name.startsWith("mcp__")) return { source: "mcp", description };
  const [, said, origin] = /^(.*?) ?\((project|user)\)$/su.exec(description) ?? [];
  if (said === undefined) return { source: "other", description };
  return { source: origin === "user" ? "user" : "project", description: said };
}

export const OfferedTool = z.strictObject({
  name: z.string().describe("The tool's name as the model has it"),
  description: z.string().describe("What it does, in the words of who offers it"),
  source: z
    .enum(["native", "mcp", "skein"])
    .describe("Claude Code's own, one of a tool server, or one of Skein's own server (`skein mcp`)"),
  server: z.string().nullable().describe("The tool server that has it; null for Claude Code's own"),
  aliases: z.array(z.string()).describe("Other names of it"),
  input_schema: z.record(z.string(), z.unknown()).describe("The JSON Schema of its input"),
});
export type OfferedTool = z.infer<typeof OfferedTool>;

/** Names that rules and messages of the CLI still use for a tool that the model knows by another. */
const FORMER_NAMES: Readonly<Record<string, readonly string[]>> = { Agent: ["Task"] };

const ToldTool = z.looseObject({
  name: z.string(),
  description: z.string().default(""),
  input_schema: z.record(z.string(), z.unknown()).default({}),
});

/** The tools that a request to the model offers, in the CLI's order. */
export function toOfferedTools(
  request: MessagesRequest,
  servers: readonly { readonly name: string; readonly calledItself?: string | undefined }[],
): OfferedTool[] {
  return (request.tools ?? []).map((tool) => {
    const { name, description, input_schema: schema } = ToldTool.parse(tool);
    const server = servers.find((one) => name.startsWith(toolPrefix(one.name)));
    const isOfServer = server !== undefined || name.startsWith("mcp__");
    const source = server?.calledItself === "skein" ? "skein" : isOfServer ? "mcp" : "native";
    const aliases = [...(ownValue(FORMER_NAMES, name) ?? [])];
    return { name, description, source, server: server?.name ?? null, aliases, input_schema: schema };
  });
}

export function toolPrefix(server: string): string {
  return `mcp__${server.replaceAll(/[^\w-]/gu, "_")}__`;
}

/** Finds a command by its name or another name of it, in any case, with or without its slash. */
export function findCommand(name: string, commands: readonly OfferedCommand[]): OfferedCommand {
  // Where names are shared, the CLI runs its own command.
  const rank = ({ source }: OfferedCommand): number => (source === "builtin" ? 0 : 1);
  const ownFirst = commands.toSorted((left, right) => rank(left) - rank(right));
  return (
    findNamed(name.replace(/^\//u, ""), ownFirst) ??
    notThere("command", name, "skein commands --limit 1000 lists the ones that exist")
  );
}

/** Finds a tool by its name or another name of it, in any case. */
export function findTool(name: string, tools: readonly OfferedTool[]): OfferedTool {
  const hint = "skein tool-pool lists the ones that exist, and says why others are left out";
  return findNamed(name, tools) ?? notThere("tool", name, hint);
}

function findNamed<T extends Pick<OfferedTool, "name" | "aliases">>(name: string, all: readonly T[]): T | undefined {
  const wanted = name.toLowerCase();
  return (
    all.find((one) => one.name.toLowerCase() === wanted) ??
    all.find(({ aliases }) => aliases.some((alias) => alias.toLowerCase() === wanted))
  );
}

function notThere(what: "command" | "tool", name: string, hint: string): never {
  const message = `There is no ${what} ${JSON.stringify(name)} in this folder`;
  throw new SkeinError(message, { kind: `${what}_not_found`, target: name, hint });
}

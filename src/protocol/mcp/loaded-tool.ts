import { resolve } from "node:path";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import { BUILT_IN_SCENARIOS } from "../../offline/index.ts";
import type { CallContext, Command } from "../command/command.ts";
import { inputSchema } from "../command/describe-command.ts";
import { usageError } from "../command/parse-args.ts";
import { MCP_TOOLS, powerFlag, type McpBounds, type McpTool, type Power, type Powers } from "./mcp-tools.ts";

export interface LoadedTool extends Omit<McpTool, "command"> {
  readonly command: Command;
}

/** The tools that were allowed, each with the fields that were. */
export async function loadTools({ commands }: CallContext, powers: Powers): Promise<readonly LoadedTool[]> {
  const known = MCP_TOOLS.filter(({ command }) => commands.list.some(({ name }) => name === command));
  const allowed = known.filter(({ needs }) => needs === undefined || powers[needs]);
  return await Promise.all(
    allowed.map(async (tool) => {
      const { opens = {} } = tool;
      const opened = (Object.keys(opens) as Power[]).filter((power) => powers[power]);
      const fields = [...tool.fields, ...opened.flatMap((power) => opens[power] ?? [])];
      return { ...tool, fields, command: await commands.load(tool.command) };
    }),
  );
}

/** A tool as the protocol lists it: what it takes and gives, and what it does to the world, is what its command says. */
export function describeMcpTool({ name, command, description, fields, required = [] }: LoadedTool): Tool {
  const input = inputSchema(command, { override: withoutFlagMeta });
  const properties = Object.entries(input.properties).filter(([field]) => fields.includes(field));
  const { changes, isRepeatable, reaches } = command.effects;
  return {
    name,
    description,
    inputSchema: {
      ...input,
      type: "object",
      properties: Object.fromEntries(properties),
      required: [...(input.required ?? []), ...required],
      additionalProperties: false,
    },
    outputSchema: { ...z.toJSONSchema(command.data), type: "object" } as Tool["outputSchema"],
    annotations: {
      title: command.summary,
      readOnlyHint: changes === "nothing",
      destructiveHint: changes === "replaces",
      idempotentHint: isRepeatable,
      openWorldHint: reaches === "world",
    },
  };
}

/** What is only about flags means nothing to a model. */
function withoutFlagMeta({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  delete jsonSchema["label"];
  delete jsonSchema["preset"];
}

/** What a model gave a tool, made fit for its command: closed fields are refused, and what was left out stays in the bounds. */
export function boundParams(
  tool: LoadedTool,
  given: Readonly<Record<string, unknown>>,
  { root, powers }: McpBounds,
): Readonly<Record<string, unknown>> {
  const closed = Object.keys(given).find((field) => !tool.fields.includes(field));
  if (closed !== undefined) throw closedField(tool, closed);
  const missing = tool.required?.find((field) => given[field] === undefined);
  if (missing !== undefined) throw usageError("mcp", `${missing} is missing`, { target: missing });
  const { offline, cwd } = given;
  if (typeof offline === "string" && !powers.allowModules && !Object.hasOwn(BUILT_IN_SCENARIOS, offline)) {
    throw notAllowed(`The scenario ${offline} is a file`, offline, "allowModules");
  }
  if (!tool.fields.includes("cwd")) return given;
  return { ...given, cwd: typeof cwd === "string" ? resolve(root, cwd) : (cwd ?? root) };
}

/** A field that a flag would open is told with the flag; any other is a mistake. */
function closedField({ name, fields, opens = {} }: LoadedTool, field: string): SkeinError {
  const power = (Object.keys(opens) as Power[]).find((each) => opens[each]?.includes(field));
  if (power !== undefined) return notAllowed(`${name} does not take ${field} here`, field, power);
  const hint = `It takes ${fields.join(", ")}.`;
  return new SkeinError(`${name} takes no ${field}`, { kind: "usage", target: field, hint });
}

function notAllowed(message: string, target: string, power: Power): SkeinError {
  return new SkeinError(`${message}: skein mcp was started without ${powerFlag(power)}`, {
    kind: "policy",
    target,
    hint: "Only whoever starts skein mcp can allow it",
  });
}

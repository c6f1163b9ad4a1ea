import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Command } from "../command/command.ts";
import { inputSchema } from "../command/describe-command.ts";
import type { McpTool } from "./mcp-tools.ts";

/** A tool with its command, and the fields that it has in this server. */
export interface LoadedTool extends Omit<McpTool, "command"> {
  readonly command: Command;
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
    } as Tool["inputSchema"],
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

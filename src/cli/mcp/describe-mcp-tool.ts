import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Command } from "../define-command.ts";
import type { McpTool } from "./mcp-tools.ts";

/** A tool with its command. */
export interface LoadedTool extends Omit<McpTool, "command"> {
  readonly command: Command;
}

/** A tool as the protocol lists it; what it takes and gives is what its command takes and gives. */
export function describeMcpTool(tool: LoadedTool): Tool {
  const { name, command, description, isReadOnly = false, replacesFiles = false } = tool;
  const input = z.toJSONSchema(command.args, { io: "input", override: withoutFlagMeta });
  const required = [...(input.required ?? []), ...(tool.needs ?? [])];
  return {
    name,
    description,
    inputSchema: { ...input, type: "object", required, additionalProperties: false } as Tool["inputSchema"],
    outputSchema: { ...z.toJSONSchema(command.data), type: "object" } as Tool["outputSchema"],
    annotations: {
      title: command.summary,
      readOnlyHint: isReadOnly,
      destructiveHint: replacesFiles,
      openWorldHint: command.streaming !== undefined,
    },
  };
}

/** What is only about flags means nothing to a model. */
function withoutFlagMeta({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  delete jsonSchema["label"];
  delete jsonSchema["preset"];
}

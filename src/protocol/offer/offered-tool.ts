import { ownValue } from "../../core/index.ts";
import { z } from "zod";
import type { MessagesRequest } from "../../offline/index.ts";

/** A tool, as the CLI offers it to the model in a folder. */
export const OfferedTool = z.strictObject({
  name: z.string(),
  description: z.string(),
  /** Claude Code's own, one of a tool server, or one of Skein's own server (`skein mcp`). */
  source: z.enum(["native", "mcp", "skein"]),
  /** The tool server that it comes from. */
  server: z.string().nullable(),
  /** Other names that it is known by. */
  aliases: z.array(z.string()),
  /** A JSON Schema of what it takes. */
  input_schema: z.record(z.string(), z.unknown()),
});

/** A tool, as the CLI offers it to the model in a folder. */
export type OfferedTool = z.infer<typeof OfferedTool>;

/** A tool server, as far as its tools are told apart by it. */
export interface NamedServer {
  readonly name: string;
  /** What the server calls itself. */
  readonly calledItself?: string | undefined;
}

/** Names that rules and messages of the CLI still use for a tool that the model knows by another. */
const FORMER_NAMES: Readonly<Record<string, readonly string[]>> = { Agent: ["Task"] };

const ToldTool = z.looseObject({
  name: z.string(),
  description: z.string().default(""),
  input_schema: z.record(z.string(), z.unknown()).default({}),
});

/** The tools that a request to the model offers, in the CLI's order. */
export function toOfferedTools(request: MessagesRequest, servers: readonly NamedServer[]): OfferedTool[] {
  return (request.tools ?? []).map((tool) => {
    const { name, description, input_schema: schema } = ToldTool.parse(tool);
    const server = servers.find((one) => name.startsWith(toolPrefix(one.name)));
    const source = server ? (server.calledItself === "skein" ? "skein" : "mcp") : isOfServer(name) ? "mcp" : "native";
    const aliases = [...(ownValue(FORMER_NAMES, name) ?? [])];
    return { name, description, source, server: server?.name ?? null, aliases, input_schema: schema };
  });
}

/** What the names of a tool server's tools begin with. */
export function toolPrefix(server: string): string {
  return `mcp__${server.replaceAll(/[^\w-]/gu, "_")}__`;
}

function isOfServer(tool: string): boolean {
  return tool.startsWith("mcp__");
}

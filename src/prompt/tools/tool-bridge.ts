import type { ToolServer } from "../../engine/internal.ts";
import { closeSchema, toJsonSchema } from "../output/json-schema.ts";
import type { ToolReply } from "./run-tool.ts";
import type { ToolCall } from "./tool-policy.ts";
import type { AnyTool } from "./tool.ts";

/** How the CLI names the call in what it sends to a server. */
const CALL_ID = "claudecode/toolUseId";

export type ToolRunner = (
  tool: AnyTool,
  args: unknown,
  call: { readonly callId: string; readonly signal: AbortSignal },
) => Promise<ToolReply>;

/**
 * The tools of a prompt as an MCP server, a new one for each process: a server object serves one, and a second would be
 * without its tools. Arguments come as the model wrote them; the runner is who checks them.
 */
export function createToolBridge(tools: readonly AnyTool[], run: ToolRunner): ToolServer {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listed = tools.map((tool) => ({
    name: tool.name,
    description: describe(tool),
    inputSchema: closeSchema(toJsonSchema(tool.params, tool.name)) as { type: "object" },
    // Offered from the first response on, not to be searched for.
    _meta: { "anthropic/alwaysLoad": true },
  }));
  return async () => {
    const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
    const { CallToolRequestSchema, ListToolsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const instance = new McpServer({ name: "skein-tools", version: "1.0.0" }, { capabilities: { tools: {} } });
    instance.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
    instance.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestId }) => {
      const tool = byName.get(params.name);
      if (!tool) return reply({ text: `There is no tool ${params.name}`, isError: true });
      const given = params["_meta"]?.[CALL_ID];
      const callId = typeof given === "string" ? given : String(requestId);
      return reply(await run(tool, params.arguments, { callId, signal }));
    });
    return { type: "sdk", name: SERVER_KEY, instance };
  };
}

function reply({ text, isError }: ToolReply): { content: { type: "text"; text: string }[]; isError: boolean } {
  return { content: [{ type: "text", text }], isError };
}

function describe(tool: AnyTool): string {
  const examples = (tool.examples ?? []).map(({ description, input, output }) => {
    const result = output === undefined ? "" : ` gives ${JSON.stringify(output)}`;
    return `Example, ${description}: ${JSON.stringify(input)}${result}`;
  });
  return [tool.description, ...examples].join("\n");
}

/** The key of the one server that all tools of a prompt are behind. */
export const SERVER_KEY = "skein";

const PREFIX = `mcp__${SERVER_KEY}__`;

export function bridgedName(tool: string): string {
  return `${PREFIX}${tool}`;
}

/** A call as the CLI tells of it, with the tool's own name. */
export function toCall(called: string, input: unknown, callId: string): ToolCall {
  const isBridged = called.startsWith(PREFIX);
  const tool = isBridged ? called.slice(PREFIX.length) : called;
  return { tool, isBridged, input: input as ToolCall["input"], callId };
}

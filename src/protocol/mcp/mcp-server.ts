import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { CallContext } from "../command/command.ts";
import { readOwnPackage } from "../report/package-facts.ts";
import { openMessages } from "../rpc/message-stream.ts";
import { callTool, createSpending, oneAtATime } from "./call-tool.ts";
import { describeMcpTool, loadTools, type McpBounds } from "./mcp-tools.ts";

const INSTRUCTIONS =
  "Skein records the turns of coding agents in a workspace as states that can be restored, branched and compared. " +
  "Name a state by its id or its first characters, by a checkpoint, or as @ (the directory's head) and @~1 (the one before).";

/** Serves the tools until the input ends, which ends what still runs. Gives how many calls there were. */
export async function runMcpServer(context: CallContext, bounds: McpBounds) {
  const { version } = readOwnPackage();
  const { server } = new McpServer(
    { name: "skein", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const tools = await loadTools(context, bounds.powers);
  const running = new Set<Promise<CallToolResult>>();
  const counts = { calls: 0, failed: 0 };
  const shared = { context, bounds, spending: createSpending(bounds.maxCostUsd), alone: oneAtATime() };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describeMcpTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}`);
    counts.calls += 1;
    const call = callTool(tool, { given: params.arguments ?? {}, extra, ...shared }).finally(() =>
      running.delete(call),
    );
    running.add(call);
    const result = await call;
    if (result.isError) counts.failed += 1;
    return result;
  });
  const transport = createMcpTransport(context);
  await server.connect(transport);
  try {
    await transport.read();
  } finally {
    // Closing aborts what runs; it is waited for, so that a turn that was cut off is recorded as such.
    await server.close();
    await Promise.all(running);
  }
  return counts;
}

/** MCP over the command's streams: the SDK's own transport writes past the command's output, and does not tell of the end. */
function createMcpTransport(context: CallContext) {
  const { messages, write } = openMessages(context);
  const transport: Transport & { read(): Promise<void> } = {
    start: async () => {},
    send: write,
    async close() {
      transport.onclose?.();
    },
    /** Takes messages until the input ends; to be called once a server is connected. */
    async read() {
      for await (const record of messages) {
        const value = record.type === "value" ? record.value : undefined;
        const { data: message, error } = JSONRPCMessageSchema.safeParse(value);
        if (message) transport.onmessage?.(message);
        else transport.onerror?.(error);
      }
    },
  };
  return transport;
}

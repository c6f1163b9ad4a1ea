import { readFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { toSkeinError } from "../../core/index.ts";
import { callCommand, toErrorData } from "../command/call-command.ts";
import type { CallContext } from "../command/command.ts";
import { boundParams } from "./bound-params.ts";
import { describeMcpTool, type LoadedTool } from "./describe-mcp-tool.ts";
import type { McpBounds } from "./mcp-bounds.ts";
import type { Power, Powers } from "./mcp-powers.ts";
import { createSpending, type McpSpending } from "./mcp-spending.ts";
import { MCP_TOOLS } from "./mcp-tools.ts";
import { createMcpTransport } from "./mcp-transport.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { createProgress } from "./progress.ts";

const INSTRUCTIONS =
  "Skein records the turns of coding agents in a workspace as states that can be restored, branched and compared. " +
  "Name a state by its id or its first characters, by a checkpoint, or as @ (the directory's head) and @~1 (the one before).";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Serves the tools until the input ends, which ends what still runs. Gives how many calls there were. */
export async function serveMcp(
  context: CallContext,
  bounds: McpBounds,
): Promise<{ readonly calls: number; readonly failed: number }> {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
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

/** The tools that were allowed, each with the fields that were. */
async function loadTools({ commands }: CallContext, powers: Powers): Promise<readonly LoadedTool[]> {
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

interface ToolCall {
  readonly given: Readonly<Record<string, unknown>>;
  readonly extra: Extra;
  readonly context: CallContext;
  readonly bounds: McpBounds;
  readonly spending: McpSpending;
  readonly alone: ReturnType<typeof oneAtATime>;
}

/** Runs the command behind a tool. What goes wrong is a result, which the model is shown. */
async function callTool(tool: LoadedTool, call: ToolCall): Promise<CallToolResult> {
  const { bounds, alone } = call;
  try {
    const params = boundParams(tool, call.given, bounds);
    const needsToBeAlone = bounds.confinement.root !== undefined && tool.command.effects.changes !== "nothing";
    const run = (): Promise<object> => runTool(tool, params, call);
    const data = await (needsToBeAlone ? alone(run) : run());
    return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: { ...data } };
  } catch (thrown) {
    const error = toErrorData(tool.name, toSkeinError(thrown));
    return { content: [{ type: "text", text: JSON.stringify(error) }], isError: true };
  }
}

async function runTool(tool: LoadedTool, given: ToolCall["given"], call: ToolCall): Promise<object> {
  const { extra, context, bounds, spending } = call;
  const { confinement } = bounds;
  const params = tool.budget === undefined ? given : spending.limit(tool.budget, given);
  const signal = AbortSignal.any([extra.signal, context.signal]);
  const asked = { params, signal, onEvent: createProgress(extra) };
  try {
    const data = await callCommand(tool.command, asked, { ...context, confinement });
    spending.count(data);
    return data;
  } catch (error) {
    spending.count(error);
    throw error;
  }
}

import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";

/** How `skein mcp` is started. */
export const MCP_SERVER = { command: process.execPath, args: [resolve("dist/cli/main.js"), "mcp"] };

/** Where a server is started. */
export interface McpPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The MCP SDK's own client, connected to a `skein mcp` with these flags. */
export async function connectMcp({ cwd, home, env }: McpPlace, ...flags: readonly string[]): Promise<Client> {
  const variables = { PATH: process.env["PATH"] ?? "", HOME: home, SKEIN_HOME: home, ...env };
  const client = new Client({ name: "test", version: "1" });
  const args = [...MCP_SERVER.args, ...flags];
  await client.connect(new StdioClientTransport({ ...MCP_SERVER, args, cwd, env: variables, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

/** What a tool answered as text: the envelope's data, or its error. */
export function errorOf(result: Awaited<ReturnType<Client["callTool"]>>): unknown {
  const [block] = result.content as readonly { readonly text: string }[];
  return JSON.parse(block?.text ?? "");
}

import type { McpServerConfig } from "@anthropic-ai/claude-agent-sdk";
import { inSightOf, toAgent, toHost, type SeenDirectory } from "../../core/index.ts";

type Servers = Readonly<Record<string, McpServerConfig>>;

/**
 * Servers of tools in this process, for an agent that sees its directory by another path: an argument that is a path below that comes to
 * the tool as a path of this process, so that no tool mistakes the workspace for the branch, and what the tool answers goes back as the agent's.
 */
export function showServers(servers: Servers, directory: SeenDirectory): Record<string, McpServerConfig> {
  for (const config of Object.values(servers)) if ("instance" in config) showServer(config.instance, directory);
  return { ...servers };
}

/** What is changed is the way between the server and the CLI: the server itself is made for one process. */
function showServer(server: Server, directory: SeenDirectory): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    await connect(transport);
    const { onmessage } = transport;
    const send = transport.send.bind(transport);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target: the server's own handler is replaced
    transport.onmessage = (message, ...rest) =>
      inSightOf(directory, () => onmessage?.(toHost(message, directory), ...rest));
    transport.send = async (message, ...rest) => await send(toAgent(message, directory), ...rest);
  };
}

type Server = Extract<McpServerConfig, { readonly instance: unknown }>["instance"];

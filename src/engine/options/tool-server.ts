import type { McpServerConfig, Options, createSdkMcpServer } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeConfigError, emptyRecord } from "../../core/internal.ts";

/** A server of tools: its configuration, or a function that makes a new one for each process. */
export type ToolServer = McpServerConfig | (() => McpServerConfig | Promise<McpServerConfig>);

/** The SDK's options, with servers that are still to be made. */
export type SessionOptions = Omit<Options, "mcpServers"> & {
  readonly mcpServers?: Readonly<Record<string, ToolServer>>;
};

const inUse = new WeakSet<object>();

/**
 * Tools in this process, as a server that can serve any number of turns at once: each gets one of its own. They are
 * there from the first response on, unless `alwaysLoad` is set to false.
 */
export function toolServer(options: Parameters<typeof createSdkMcpServer>[0]): ToolServer {
  return async () =>
    (await import("@anthropic-ai/claude-agent-sdk")).createSdkMcpServer({ alwaysLoad: true, ...options });
}

/**
 * Makes the servers for one process, and gives what to call when that is gone. One server object serves one process: a second one would
 * silently be without its tools, so sharing one is an error here.
 */
export async function mintServers(options: SessionOptions): Promise<{ options: Options; release: () => void }> {
  const { mcpServers, ...rest } = options;
  if (!mcpServers) return { options: rest, release: () => undefined };
  const made = emptyRecord<McpServerConfig>();
  const instances: object[] = [];
  for (const [name, server] of Object.entries(mcpServers)) {
    const config = typeof server === "function" ? await server() : server;
    made[name] = config;
    if (!("instance" in config)) continue;
    if (inUse.has(config.instance)) throw sharedServer(name);
    inUse.add(config.instance);
    instances.push(config.instance);
  }
  return {
    options: { ...rest, mcpServers: made },
    release: () => {
      for (const instance of instances) inUse.delete(instance);
    },
  };
}

function sharedServer(name: string): ClaudeConfigError {
  return new ClaudeConfigError(`The tool server ${name} is in use by another turn, and can serve only one`, {
    option: "mcpServers",
    target: name,
    hint: "Give a function that makes a server, such as toolServer({ name, tools }).",
  });
}

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { CallContext } from "../command/command.ts";
import { openMessages } from "../rpc/message-stream.ts";

/** A transport of the MCP SDK whose messages are read by whoever serves it. */
export interface McpTransport extends Transport {
  /** Takes messages until the input ends; to be called once a server is connected. */
  read(): Promise<void>;
}

/** MCP over the command's streams: the SDK's own transport writes past the command's output, and does not tell of the end. */
export function createMcpTransport(context: CallContext): McpTransport {
  const { messages, write } = openMessages(context);
  const transport: McpTransport = {
    start: async () => {},
    send: write,
    async close() {
      transport.onclose?.();
    },
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

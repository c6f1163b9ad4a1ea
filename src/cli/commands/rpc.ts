import { z } from "zod";
import { defineCommand } from "../define-command.ts";
import { serveRpc } from "../../protocol/index.ts";

/** Serves all commands to another program. */
export const rpc = defineCommand({
  name: "rpc",
  summary: "Serve all commands over JSON-RPC",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    abortOnEnd: z
      .boolean()
      .default(false)
      .meta({ description: "When the input ends, stop running requests instead of finishing them" }),
  }),
  data: z.strictObject({
    /** What was asked, notifications included. */
    requests: z.int(),
    failed: z.int(),
  }),
  streaming: "always",
  examples: ["rpc", `rpc <<< '{"jsonrpc":"2.0","id":1,"method":"log","params":{"limit":5}}'`],
  async run({ abortOnEnd }, context) {
    return { ...(await serveRpc(context, { abortOnEnd })) };
  },
});

import { z } from "zod";
import { defineCommand } from "../../define-command.ts";
import { serveRpc, powerFlags, serveMcp } from "../../../protocol/index.ts";
import { findDirectory } from "../../open-workspace.ts";
import { switchFlag, textFlag } from "../../common-flags.ts";

export const rpc = defineCommand({
  name: "rpc",
  summary: "Serve all commands over JSON-RPC",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    abortOnEnd: switchFlag("When the input ends, stop running requests instead of finishing them"),
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

/** Serves Skein to an agent or an editor, within bounds that only the person who starts it can widen. */
export const mcp = defineCommand({
  name: "mcp",
  summary: "Serve Skein to agents and editors over MCP",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: z.object({
    root: textFlag(
      "directory",
      "The folder the model may work in and whose records it may read, with all its subfolders (default: here)",
    ),
    maxCostUsd: z.coerce.number().positive().default(5).meta({
      label: "amount",
      description: "Spending limit for all runs of the model together",
    }),
    ...powerFlags,
  }),
  data: z.strictObject({
    calls: z.int(),
    failed: z.int(),
  }),
  streaming: "always",
  examples: ["mcp", "mcp --root ./my_project --max-cost-usd 2 --allow-restore"],
  async run(given, context) {
    const root = await findDirectory(given.root, {});
    return { ...(await serveMcp(context, { ...given, root })) };
  },
});

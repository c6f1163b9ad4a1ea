import { z } from "zod";
import { defineCommand } from "../define-command.ts";
import { serveMcp } from "../mcp/serve-mcp.ts";

/** Serves Skein to an agent or an editor. */
export const mcp = defineCommand({
  name: "mcp",
  summary: "Serve Skein to agents and editors by MCP",
  args: z.object({}),
  data: z.strictObject({
    /** How many tools were called. */
    calls: z.int(),
    failed: z.int(),
  }),
  streaming: "always",
  examples: ["mcp"],
  async run(_, context) {
    return { ...(await serveMcp(context)) };
  },
});

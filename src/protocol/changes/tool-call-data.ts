import { z } from "zod";

/** A tool call of a turn, as the envelope and the server tell it. */
export const ToolCallData = z.strictObject({
  tool: z.string().describe("The tool's name"),
  tool_use_id: z.string().describe("The call's id"),
  started_at: z.string().describe("When it was called, ISO 8601"),
  duration_ms: z.number().describe("How long the call took, in milliseconds"),
  is_error: z.boolean().describe("Whether it failed"),
  is_denied: z.boolean().describe("Whether it was not permitted"),
  is_open: z.boolean().describe("Whether it had no result when the turn ended"),
  parent_tool_use_id: z
    .string()
    .nullable()
    .describe("The call that started the sub-agent that made it; null in the main conversation"),
  input: z.unknown().describe("What the tool was given"),
  output: z.unknown().describe("What the tool answered: text, or content blocks; null where it did not"),
});

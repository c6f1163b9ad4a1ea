import type { AgentDefinition } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { PERMISSION_MODES } from "./claude-options.ts";
import { mcpServerSchema } from "./mcp-server-schema.ts";
import { name, text, type FieldsOf } from "./option-values.ts";

const FIELDS = {
  description: text,
  prompt: text,
  tools: z.array(name).optional(),
  disallowedTools: z.array(text).optional(),
  model: text.optional(),
  mcpServers: z.array(z.union([text, z.record(text, mcpServerSchema)])).optional() as z.ZodType<
    AgentDefinition["mcpServers"]
  >,
  skills: z.array(name).optional(),
  initialPrompt: text.optional(),
  maxTurns: z.int().positive().optional(),
  autoCompactWindow: z.int().positive().optional(),
  background: z.boolean().optional(),
  omitClaudeMd: z.boolean().optional(),
  memory: z.enum(["user", "project", "local"]).optional(),
  effort: z.union([z.enum(["low", "medium", "high", "xhigh", "max"]), z.int()]).optional(),
  permissionMode: z.enum(PERMISSION_MODES).optional(),
  observer: text.optional(),
  observerMessage: z.string().optional(),
  criticalSystemReminder_EXPERIMENTAL: z.string().optional(),
} satisfies FieldsOf<AgentDefinition>;

/** A subagent. Strict, because a misspelt `tools` would give it all of them. */
export const agentSchema = z.strictObject(FIELDS) as unknown as z.ZodType<AgentDefinition>;

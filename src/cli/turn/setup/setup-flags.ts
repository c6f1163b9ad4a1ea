import { z } from "zod";
import { listFlag, switchFlag, textFlag } from "../../common-flags.ts";

/** A JSON object: as text, as the path of a file, or for programs as it is. */
const json = z.union([z.string(), z.record(z.string(), z.unknown())]);

/** The flags that say what an agent starts with, under the names that `claude -p` has for them. `readSetup` reads them. */
export const setupFlags = {
  settingSources: listFlag(
    "source",
    "Load these settings, with their CLAUDE.md, hooks and MCP servers: user, project, local (default: none)",
  ),
  mcpConfig: z.array(json).default([]).meta({
    label: "file",
    writeOnly: true,
    description: "MCP servers, as JSON files or JSON; they run as you, outside the sandbox",
  }),
  strictMcpConfig: switchFlag("Use no MCP servers but those of --mcp-config"),
  systemPrompt: textFlag("prompt", "The system prompt, instead of Claude Code's own"),
  appendSystemPrompt: textFlag("prompt", "Added to the system prompt"),
  agents: json.optional().meta({
    label: "file",
    writeOnly: true,
    description: "Subagents that the agent may delegate to, by name, as a JSON file or JSON",
  }),
  addDir: listFlag("directory", "Further directories that the agent may read and write; they are not recorded"),
  effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional().meta({
    label: "level",
    description: "How much work the model puts into an answer",
  }),
  maxThinkingTokens: z.coerce.number().int().min(0).optional().meta({
    label: "count",
    description: "Limit on the tokens of each thought; 0 means no thinking",
  }),
  fallbackModel: textFlag(
    "model",
    "The model to use while the first one is overloaded; several with commas between",
  ).meta({ setting: "fallbackModel" }),
  jsonSchema: json.optional().meta({
    label: "schema",
    description: "A JSON Schema for the answer, as a file or JSON; an answer of another shape is an error",
  }),
  tools: z.array(z.string()).optional().meta({
    label: "tool",
    description: 'The built-in tools to offer, such as "Read,Edit"; "" for none, default for all',
  }),
  env: z.array(z.string()).default([]).meta({
    label: "variable",
    writeOnly: true,
    description: "A variable for the agent and its commands: NAME takes your value of it, NAME=VALUE sets one",
  }),
  cliPath: textFlag("file", "The Claude Code CLI to run instead of the one that comes with Skein"),
  retries: z.coerce.number().int().min(0).default(0).meta({
    label: "count",
    description: "How often to try again after a failure that may pass, such as an overloaded API",
    setting: "resilience.retry.maxRetries",
  }),
} as const;

export type SetupFlags = z.infer<z.ZodObject<typeof setupFlags>>;

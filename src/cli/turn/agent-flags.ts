import { z } from "zod";
import { PERMISSION_MODES, type ClaudeOptions } from "../../engine/index.ts";
import { defined } from "../../core/index.ts";

/** The flags that say which agent works and what it may do, for every command that runs one. */
export const agentFlags = {
  offline: z.string().optional().meta({
    label: "scenario",
    preset: "todo",
    description: "Use the embedded model instead of the API, with a built-in scenario or a scenario file",
  }),
  model: z.string().optional().meta({ label: "model", description: "The model to use" }),
  permissionMode: z.enum(PERMISSION_MODES).default("acceptEdits").meta({
    label: "mode",
    description: "How to decide calls that no rule allows",
  }),
  allowedTools: z.array(z.string()).default([]).meta({
    label: "rule",
    description: 'Calls that need no permission, such as "Bash(git:*)"',
  }),
  disallowedTools: z.array(z.string()).default([]).meta({ label: "rule", description: "Calls that are never allowed" }),
  allowWorktrees: z.boolean().default(false).meta({
    description: "Let the agent make git worktrees, for which git runs outside the sandbox",
  }),
  reveal: z.array(z.string()).default([]).meta({
    label: "secret",
    description: "A secret path or variable that tools may see anyway, such as ~/.aws or GH_TOKEN",
  }),
} as const;

/** What was given with these flags. */
export type AgentFlags = z.infer<z.ZodObject<typeof agentFlags>>;

/** The flags as options of a turn, on top of what its permissions are. */
export function agentOptions(given: AgentFlags, allowed: ClaudeOptions): ClaudeOptions {
  return {
    ...allowed,
    allowedTools: given.allowedTools,
    disallowedTools: [...(allowed.disallowedTools ?? []), ...given.disallowedTools],
    ...defined({ model: given.model }),
  };
}

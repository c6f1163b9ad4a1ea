import { z } from "zod";
import { defined } from "../../core/internal.ts";
import { PERMISSION_MODES, type ClaudeOptions } from "../../engine/internal.ts";
import { countFlag, amountFlag, secondsFlag, switchFlag, textFlag, listFlag } from "../common-flags.ts";
import { askFlags } from "./setup/ask-flags.ts";
import { boundFlags } from "./setup/bound-flags.ts";
import { setupFlags } from "./setup/setup-flags.ts";

/** The flags that say which agent works and what it may do, for every command that runs one. */
export const agentFlags = {
  offline: z.string().optional().meta({
    label: "scenario",
    preset: "todo",
    description: "Use the embedded model instead of the API, with a built-in scenario or a scenario file",
  }),
  model: textFlag("model", "The model to use").meta({ setting: "model" }),
  permissionMode: z.enum(PERMISSION_MODES).default("acceptEdits").meta({
    label: "mode",
    description: "How to decide calls that no rule allows",
    setting: "permissions.mode",
  }),
  allowedTools: listFlag("rule", 'Calls that need no permission, such as "Bash(git:*)"').meta({
    setting: "permissions.allowedTools",
  }),
  disallowedTools: listFlag("rule", "Calls that are never allowed").meta({ setting: "permissions.disallowedTools" }),
  allowWorktrees: switchFlag("Let the agent make git worktrees, for which git runs outside the sandbox").meta({
    setting: "sandbox.allowWorktrees",
  }),
  reveal: listFlag("secret", "A secret path or variable that tools may see anyway, such as ~/.aws or GH_TOKEN").meta({
    setting: "sandbox.reveal",
  }),
} as const;

/** All flags of the commands that run an agent on a prompt: one table for `run`, `explore`, `turn-loop`, `bootstrap`, JSON-RPC and MCP. */
export const turnFlags = { ...agentFlags, ...askFlags, ...setupFlags, ...boundFlags } as const;

export type TurnFlags = z.infer<z.ZodObject<typeof turnFlags>>;

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

/** The flags that say how far a turn may go. The limits on responses, silence and time have defaults, and can be raised by these. */
export const limitFlags = {
  maxResponses: countFlag("Limit on model responses (default: 500)").meta({ setting: "budget.maxResponses" }),
  maxCostUsd: amountFlag("Spending limit").meta({ setting: "budget.maxCostUsd" }),
  maxConversationCostUsd: amountFlag("Spending limit for the whole conversation, including earlier turns").meta({
    setting: "budget.maxConversationCostUsd",
  }),
  timeout: secondsFlag("Time limit (default: 2 hours)").meta({ setting: "budget.timeoutSeconds" }),
  idleTimeout: secondsFlag("Stop after this long without a new token while no tool runs (default: 5 minutes)").meta({
    setting: "budget.idleTimeoutSeconds",
  }),
} as const;

type LimitFlags = z.infer<z.ZodObject<typeof limitFlags>>;

export function limitOptions(given: LimitFlags): ClaudeOptions {
  const { maxResponses, maxCostUsd, maxConversationCostUsd, timeout, idleTimeout } = given;
  return {
    ...defined({ maxResponses, maxCostUsd, maxConversationCostUsd }),
    ...(timeout === undefined ? {} : { timeoutMs: Math.ceil(timeout * 1000) }),
    ...(idleTimeout === undefined ? {} : { idleTimeoutMs: Math.ceil(idleTimeout * 1000) }),
  };
}

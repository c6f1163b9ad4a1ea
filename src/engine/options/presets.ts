import { ClaudeConfigError, ownValue } from "../../core/internal.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import { parseClaudeOptions } from "./parse-options.ts";

/** Who an agent is in a pair: one plans and delegates, the other does the work. */
export type AgentRole = "manager" | "worker";

const ROLES: Readonly<Record<AgentRole, ClaudeOptions>> = {
  manager: {
    tools: ["Agent", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
    permissionMode: "default",
    maxResponses: 15,
    timeoutMs: 300_000,
  },
  worker: {
    tools: ["Read", "Write", "Edit", "Bash"],
    permissionMode: "acceptEdits",
    maxResponses: 10,
    timeoutMs: 300_000,
  },
};

/** Options for work under a person's eyes: reads, edits, Bash where it is allowed, and all that can be told. */
export const createDevelopmentOptions = preset({
  tools: ["Read", "Write", "Edit", "Bash"],
  permissionMode: "acceptEdits",
  maxResponses: 20,
  timeoutMs: 600_000,
  includeHookEvents: true,
  forwardSubagentText: true,
});

/** Options for work that nobody watches: files are read and written, nothing is executed, few turns, little time. */
export const createProductionOptions = preset({
  tools: ["Read", "Write"],
  permissionMode: "acceptEdits",
  maxResponses: 5,
  timeoutMs: 120_000,
  includePartialMessages: false,
});

/** Options for a live view: text piece by piece, that of subagents too. */
export const createStreamingOptions = preset({
  includePartialMessages: true,
  forwardSubagentText: true,
  timeoutMs: 300_000,
});

/** Options for one of a pair: the manager has no tool but to delegate and to keep a list of tasks. */
export function createDualAgentOptions(role: AgentRole, overrides?: ClaudeOptions): ClaudeOptions {
  const options = ownValue(ROLES, role);
  if (options) return preset(options)(overrides);
  throw new ClaudeConfigError(`role is ${role}; it must be manager or worker`, { option: "role" });
}

function preset(defaults: ClaudeOptions): (overrides?: ClaudeOptions) => ClaudeOptions {
  return (overrides) => parseClaudeOptions({ ...defaults, ...overrides });
}

import { ClaudeConfigError } from "../../core/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import { parseClaudeOptions } from "./parse-options.ts";

/** Who an agent is in a pair: one plans and delegates, the other does the work. */
export type AgentRole = "manager" | "worker";

const DEVELOPMENT: ClaudeOptions = {
  tools: ["Read", "Write", "Edit", "Bash"],
  permissionMode: "acceptEdits",
  maxResponses: 20,
  timeoutMs: 600_000,
  includeHookEvents: true,
  forwardSubagentText: true,
};

const PRODUCTION: ClaudeOptions = {
  tools: ["Read", "Write"],
  permissionMode: "acceptEdits",
  maxResponses: 5,
  timeoutMs: 120_000,
  includePartialMessages: false,
};

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

const STREAMING: ClaudeOptions = { includePartialMessages: true, forwardSubagentText: true, timeoutMs: 300_000 };

/** Options for work under a person's eyes: reads, edits, Bash where it is allowed, and all that can be told. */
export function createDevelopmentOptions(overrides: ClaudeOptions = {}): ClaudeOptions {
  return parseClaudeOptions({ ...DEVELOPMENT, ...overrides });
}

/** Options for work that nobody watches: files are read and written, nothing is executed, few turns, little time. */
export function createProductionOptions(overrides: ClaudeOptions = {}): ClaudeOptions {
  return parseClaudeOptions({ ...PRODUCTION, ...overrides });
}

/** Options for one of a pair: the manager has no tool but to delegate and to keep a list of tasks. */
export function createDualAgentOptions(role: AgentRole, overrides: ClaudeOptions = {}): ClaudeOptions {
  if (!Object.hasOwn(ROLES, role)) {
    throw new ClaudeConfigError(`role is ${role}; it must be manager or worker`, { option: "role" });
  }
  return parseClaudeOptions({ ...ROLES[role], ...overrides });
}

/** Options for a live view: text piece by piece, that of subagents too. */
export function createStreamingOptions(overrides: ClaudeOptions = {}): ClaudeOptions {
  return parseClaudeOptions({ ...STREAMING, ...overrides });
}

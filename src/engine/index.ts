export { createAttachment, readAttachment, type Attachment } from "./prompts/attachment.ts";
export { ClaudeEngine } from "./claude-engine.ts";
export type { ClaudeOptions, PermissionMode } from "./options/claude-options.ts";
export { claudePrompt, type ClaudePrompt, type PromptInput } from "./prompts/claude-prompt.ts";
export { ClaudeSDKClient } from "./claude-sdk-client.ts";
export { createEngine, orThrow, type Engine } from "./engine.ts";
export { buildEnv } from "./processes/env-variables.ts";
export { parseClaudeOptions, type TurnOptions } from "./options/parse-options.ts";
export { pathScope } from "./permissions/file-access.ts";
export {
  compose,
  firstOf,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
} from "./permissions/permission-policy.ts";
export { askRemotely, type AskRemotelyOptions } from "./permissions/ask-remotely.ts";
export { dangerousCommandGuard } from "./permissions/dangerous-commands.ts";
export { allowRules, denyRules } from "./permissions/rule-policies.ts";
export { toCanUseTool } from "./permissions/to-can-use-tool.ts";
export { collectMetrics } from "./plugins/hook-caller.ts";
export { createCostGuard } from "./plugins/cost-guard.ts";
export { createRedactor } from "./secrets/redactor.ts";
export type { PluginFailure, PluginTurn, SkeinPlugin } from "./plugins/skein-plugin.ts";
export { withPlugins } from "./plugins/with-plugins.ts";
export {
  createDevelopmentOptions,
  createDualAgentOptions,
  createProductionOptions,
  createStreamingOptions,
} from "./options/presets.ts";
export {
  archiveClaudeSession,
  deleteClaudeSession,
  findClaudeSession,
  forkClaudeSession,
  listClaudeSessions,
  renameClaudeSession,
  tagClaudeSession,
} from "./sessions/claude-sessions.ts";
export { conversation, query, queryStream } from "./query.ts";
export { CircuitOpenError } from "./resilience/circuit-breaker.ts";
export { checkHealth, type HealthCheck } from "./resilience/check-health.ts";
export { CONTINUATION_PROMPT } from "./resilience/turn-progress.ts";
export type { ResiliencePolicy } from "./resilience/resilience-policy.ts";
export { createResilientEngine, type ResilientEngine } from "./resilience/resilient-engine.ts";
export { toolServer, type ToolServer } from "./options/tool-server.ts";
export { inspectFolder, type FolderInspection } from "./trust/inspect-folder.ts";
export { openTrustStore } from "./trust/trust-store.ts";
export { WarmPool } from "./start-up/warm-pool.ts";
export { SECRET_PATTERNS } from "../core/index.ts";

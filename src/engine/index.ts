export { createAttachment, readAttachment, type Attachment } from "./prompts/attachment.ts";
export { ClaudeEngine } from "./claude-engine.ts";
export type { ClaudeOptions, PermissionMode } from "./options/claude-options.ts";
export { PERMISSION_MODES } from "./options/sdk-schemas.ts";
export { claudePrompt, readPrompt, type ClaudePrompt, type PromptInput } from "./prompts/claude-prompt.ts";
export { ClaudeSDKClient } from "./claude-sdk-client.ts";
export { detectCredentials } from "./start-up/credentials.ts";
export { detectMemoryLimiting } from "./resources/memory-limiter.ts";
export { clearLeftovers, findLeftovers, reapLeftovers } from "./processes/leftovers.ts";
export { createEngine, orThrow, type Engine, type EngineSession } from "./engine.ts";
export { buildEnv, type EnvVariables } from "./processes/env-variables.ts";
export { bundledCliPath, findCli } from "./start-up/find-cli.ts";
export { parseClaudeOptions, parseTurnOptions, type TurnOptions } from "./options/parse-options.ts";
export { fileAccesses, pathScope, resolvePath, type PathScopeOptions } from "./permissions/file-access.ts";
export {
  compose,
  firstOf,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
} from "./permissions/permission-policy.ts";
export { dangerousCommandGuard } from "./permissions/dangerous-commands.ts";
export { allowRules, denyRules } from "./permissions/rule-policies.ts";
export { toCanUseTool } from "./permissions/to-can-use-tool.ts";
export { collectMetrics } from "./plugins/hook-caller.ts";
export { createCostGuard } from "./plugins/cost-guard.ts";
export { createRedactor } from "./secrets/redactor.ts";
export type { Answer, PluginFailure, PluginTurn, SkeinPlugin } from "./plugins/skein-plugin.ts";
export { withPlugins } from "./plugins/with-plugins.ts";
export {
  createDevelopmentOptions,
  createDualAgentOptions,
  createProductionOptions,
  createStreamingOptions,
} from "./options/presets.ts";
export { ProcessManager } from "./processes/process-manager.ts";
export { runShellCommand, type ShellCommandOptions, type ShellCommandOutcome } from "./processes/run-shell-command.ts";
export { conversation, query, queryStream } from "./query.ts";
export { CircuitOpenError } from "./resilience/circuit-breaker.ts";
export { checkHealth, type HealthCheck } from "./resilience/check-health.ts";
export { CONTINUATION_PROMPT } from "./resilience/turn-progress.ts";
export type { ResiliencePolicy } from "./resilience/resilience-policy.ts";
export { createResilientEngine, type ResilientEngine } from "./resilience/resilient-engine.ts";
export { createSecretRedactor, type SecretRedactor } from "./secrets/secret-redactor.ts";
export { engineSettingsKey } from "./settings-key.ts";
export type { EngineDependencies } from "./start-up/start-session.ts";
export { toolServer, type ToolServer } from "./options/tool-server.ts";
export { inspectFolder, type FolderInspection } from "./trust/inspect-folder.ts";
export { openTrustStore } from "./trust/trust-store.ts";
export { WarmPool } from "./start-up/warm-pool.ts";
export { SECRET_PATTERNS, type SecretPattern } from "../core/index.ts";
export { createUsageReader } from "./turns/usage-events.ts";

export {
  createAttachment,
  type Attachment,
  type AttachmentMediaType,
  type AttachmentSource,
  type ImageMediaType,
} from "./prompts/attachment.ts";
export { ClaudeEngine } from "./claude-engine.ts";
export {
  PERMISSION_MODES,
  type ClaudeOptions,
  type PermissionMode,
  type SystemPrompt,
  type ToolSet,
} from "./options/claude-options.ts";
export { claudePrompt, type ClaudePrompt, type PromptSource } from "./prompts/claude-prompt.ts";
export { ClaudeSDKClient, type ClientStatistics } from "./claude-sdk-client.ts";
export { detectCredentials, type CredentialKind } from "./start-up/credentials.ts";
export { detectMemoryLimiting } from "./resources/detect-memory-limiting.ts";
export type { MemoryLimiting } from "./resources/memory-limiter.ts";
export { clearLeftovers } from "./leftovers/clear-leftovers.ts";
export { createEngine, orThrow, type Engine, type EngineSession } from "./engine.ts";
export { buildEnvironment, type Environment } from "./start-up/environment.ts";
export { bundledCliPath, findCli, type FoundCli } from "./start-up/find-cli.ts";
export { parseClaudeOptions } from "./options/parse-options.ts";
export { fileAccesses } from "./permissions/file-tools.ts";
export { compose, firstOf } from "./permissions/compose.ts";
export { dangerousCommandGuard } from "./permissions/dangerous-command-guard.ts";
export { DANGEROUS_COMMANDS, type DangerousCommand } from "./permissions/dangerous-commands.ts";
export { pathScope, type PathScopeOptions } from "./permissions/path-scope.ts";
export type { PermissionDecision, PermissionPolicy, PermissionRequest } from "./permissions/permission-policy.ts";
export { resolvePath, type PathBase, type ResolvedPath } from "./permissions/resolve-path.ts";
export { allowRules, denyRules, type RuleOptions } from "./permissions/rule-policies.ts";
export {
  toCanUseTool,
  type CanUseToolOptions,
  type PendingPermission,
  type PermissionAnswer,
  type PolicyCanUseTool,
} from "./permissions/to-can-use-tool.ts";
export { collectMetrics } from "./plugins/collect-metrics.ts";
export type { PluginFailure } from "./plugins/hook-caller.ts";
export { createCostGuard, type CostLimits } from "./plugins/cost-guard.ts";
export { createRedactor, type RedactorOptions } from "./plugins/redactor.ts";
export type {
  Answer,
  PluginTurn,
  SkeinPlugin,
  TurnChange,
  TurnFailure,
  TurnRefusal,
  TurnRetry,
} from "./plugins/skein-plugin.ts";
export { withPlugins, type WithPluginsOptions } from "./plugins/with-plugins.ts";
export {
  createDevelopmentOptions,
  createDualAgentOptions,
  createProductionOptions,
  createStreamingOptions,
  type AgentRole,
} from "./options/presets.ts";
export { findLeftovers, reapLeftovers, type Leftover } from "./processes/host-record.ts";
export { ProcessManager, type RunningProcess } from "./processes/process-manager.ts";
export {
  runShellCommand,
  type ShellCommandOptions,
  type ShellCommandOutcome,
  type ShellCommandPlace,
} from "./processes/run-shell-command.ts";
export { conversation, query, queryStream, type ConversationResult } from "./query.ts";
export type { BreakerChange } from "./resilience/breaker-registry.ts";
export type { BreakerPosition, BreakerState } from "./resilience/circuit-breaker.ts";
export { CircuitOpenError } from "./resilience/circuit-open-error.ts";
export { readAttachment } from "./prompts/read-attachment.ts";
export { readPrompt, type PromptInput, type UserMessagePart } from "./prompts/read-prompt.ts";
export { checkHealth, type HealthOptions, type HealthReport } from "./resilience/check-health.ts";
export { HEALTH_LEVELS, type HealthCheck, type HealthLevel } from "./resilience/health-level.ts";
export { CONTINUATION_PROMPT } from "./resilience/plan-attempt.ts";
export type { ResiliencePolicy } from "./resilience/resilience-policy.ts";
export { createResilientEngine, type ResilientEngine } from "./resilience/resilient-engine.ts";
export { createSecretRedactor, type SecretRedactor } from "./secrets/secret-redactor.ts";
export { engineSettingsKey } from "./options/settings-key.ts";
export type { ClaudeEngineParts } from "./start-up/start-session.ts";
export { toolServer, type ToolServer } from "./start-up/tool-server.ts";
export type { FolderProgram } from "./trust/folder-programs.ts";
export { inspectFolder, type FolderInspection } from "./trust/inspect-folder.ts";
export { openTrustStore, type TrustedFolder, type TrustStore } from "./trust/trust-store.ts";
export { parseTurnOptions, type TurnOptions } from "./options/turn-options.ts";
export { WarmPool, type WarmPoolOptions, type WarmPoolStatistics } from "./start-up/warm-pool.ts";
export { SECRET_PATTERNS, type SecretPattern } from "../core/index.ts";

export {
  createAttachment,
  readAttachment,
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
export {
  claudePrompt,
  readPrompt,
  type ClaudePrompt,
  type PromptInput,
  type PromptSource,
  type UserMessagePart,
} from "./prompts/claude-prompt.ts";
export { ClaudeSDKClient, type ClientStatistics } from "./claude-sdk-client.ts";
export { detectCredentials, type CredentialKind } from "./start-up/credentials.ts";
export { detectMemoryLimiting, type MemoryLimiting } from "./resources/memory-limiter.ts";
export { clearLeftovers, findLeftovers, reapLeftovers, type Leftover } from "./processes/leftovers.ts";
export { createEngine, orThrow, type Engine, type EngineSession } from "./engine.ts";
export { buildEnv, type EnvVariables } from "./start-up/env-variables.ts";
export { bundledCliPath, findCli, type FoundCli } from "./start-up/find-cli.ts";
export { parseClaudeOptions, parseTurnOptions, type TurnOptions } from "./options/parse-options.ts";
export { fileAccesses } from "./permissions/called-tool.ts";
export {
  compose,
  firstOf,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
} from "./permissions/permission-policy.ts";
export { DANGEROUS_COMMANDS, dangerousCommandGuard, type DangerousCommand } from "./permissions/dangerous-commands.ts";
export { pathScope, type PathScopeOptions } from "./permissions/path-scope.ts";
export { resolvePath, type PathBase, type ResolvedPath } from "./permissions/resolve-path.ts";
export { allowRules, denyRules, type RuleOptions } from "./permissions/rule-policies.ts";
export {
  toCanUseTool,
  type CanUseToolOptions,
  type PendingPermission,
  type PermissionAnswer,
  type PolicyCanUseTool,
} from "./permissions/to-can-use-tool.ts";
export { collectMetrics, type PluginFailure } from "./plugins/hook-caller.ts";
export { createCostGuard, type CostLimits } from "./plugins/cost-guard.ts";
export { createRedactor, type RedactorOptions } from "./secrets/redactor.ts";
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
export { ProcessManager, type RunningProcess } from "./processes/process-manager.ts";
export {
  runShellCommand,
  type ShellCommandOptions,
  type ShellCommandOutcome,
  type ShellCommandScope,
} from "./processes/run-shell-command.ts";
export { conversation, query, queryStream, type ConversationResult } from "./query.ts";
export {
  CircuitOpenError,
  type BreakerChange,
  type BreakerPosition,
  type BreakerState,
} from "./resilience/circuit-breaker.ts";
export {
  HEALTH_LEVELS,
  checkHealth,
  type HealthCheck,
  type HealthLevel,
  type HealthOptions,
  type HealthReport,
} from "./resilience/check-health.ts";
export { CONTINUATION_PROMPT } from "./resilience/turn-progress.ts";
export type { ResiliencePolicy } from "./resilience/resilience-policy.ts";
export { createResilientEngine, type ResilientEngine } from "./resilience/resilient-engine.ts";
export { createSecretRedactor, type SecretRedactor } from "./secrets/secret-redactor.ts";
export { engineSettingsKey } from "./options/settings-key.ts";
export type { EngineDependencies } from "./start-up/start-session.ts";
export { toolServer, type ToolServer } from "./start-up/tool-server.ts";
export { inspectFolder, type FolderInspection, type FolderProgram } from "./trust/inspect-folder.ts";
export { openTrustStore, type TrustStore, type TrustedFolder } from "./trust/trust-store.ts";
export { WarmPool, type WarmPoolOptions, type WarmPoolStatistics } from "./start-up/warm-pool.ts";
export { SECRET_PATTERNS, type SecretPattern } from "../core/index.ts";

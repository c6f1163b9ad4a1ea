// What other rooms use of this one; users have `index.ts`.
export { readAttachment } from "./prompts/attachment.ts";
export { ClaudeEngine } from "./claude-engine.ts";
export type { ClaudeOptions, PermissionMode } from "./options/claude-options.ts";
export { createDualAgentOptions } from "./options/presets.ts";
export { PERMISSION_MODES } from "./options/sdk-schemas.ts";
export { claudePrompt, readPrompt, type ClaudePrompt, type PromptInput } from "./prompts/claude-prompt.ts";
export { ClaudeSDKClient } from "./claude-sdk-client.ts";
export { detectCredentials } from "./start-up/credentials.ts";
export { detectMemoryLimiting } from "./resources/memory-limiter.ts";
export { clearLeftovers, findLeftovers, reapLeftovers } from "./processes/leftovers.ts";
export { createEngine, type Engine, type EngineSession } from "./engine.ts";
export { buildEnv, type EnvVariables } from "./processes/env-variables.ts";
export { bundledCliPath, findCli } from "./start-up/find-cli.ts";
export {
  nearestName,
  otherOptionName,
  parseClaudeOptions,
  parseTurnOptions,
  type TurnOptions,
} from "./options/parse-options.ts";
export { askPeople, type Question, type QuestionFace } from "./permissions/ask-people.ts";
export { askRemotely, createRemoteFace } from "./permissions/ask-remotely.ts";
export { isNoLooser } from "./permissions/strictness.ts";
export { fileAccesses, pathScope, resolvePath, type PathScopeOptions } from "./permissions/file-access.ts";
export type { PermissionPolicy } from "./permissions/permission-policy.ts";
export type { SkeinPlugin } from "./plugins/skein-plugin.ts";
export { withPlugins } from "./plugins/with-plugins.ts";
export { ProcessManager } from "./processes/process-manager.ts";
export { runShellCommand, type ShellCommandOptions, type ShellCommandOutcome } from "./processes/run-shell-command.ts";
export { checkHealth, type HealthCheck } from "./resilience/check-health.ts";
export { createSecretRedactor, type SecretRedactor } from "./secrets/secret-redactor.ts";
export { createResilience, type Resilience } from "./resilience/resilient-engine.ts";
export { POLICY_PARTS, type ResiliencePolicy } from "./resilience/resilience-policy.ts";
export { engineSettingsKey, hashSettings } from "./settings-key.ts";
export type { ToolServer } from "./options/tool-server.ts";
export { inspectFolder, inspectOwnFiles, type FolderInspection } from "./trust/inspect-folder.ts";
export { CONFIG_FILE, inspectOwnConfiguration } from "./trust/own-configuration.ts";
export { findPluginFiles } from "./trust/plugin-files.ts";
export { openTrustStore } from "./trust/trust-store.ts";
export { DEFAULT_IDLE_MS } from "./turns/turn-limits.ts";
export { createUsageReader } from "./turns/usage-events.ts";

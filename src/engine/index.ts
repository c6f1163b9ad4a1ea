export { readAttachment, type Attachment, type ImageMediaType } from "./attachment.ts";
export { ClaudeEngine } from "./claude-engine.ts";
export { PERMISSION_MODES, type ClaudeOptions, type PermissionMode } from "./claude-options.ts";
export { claudePrompt, type ClaudePrompt } from "./claude-prompt.ts";
export { detectCredentials, type CredentialKind } from "./credentials.ts";
export { detectSandbox, type SandboxSupport } from "./detect-sandbox.ts";
export type { Engine } from "./engine.ts";
export { buildEnvironment, type Environment } from "./environment.ts";
export { findCli, type FoundCli } from "./find-cli.ts";

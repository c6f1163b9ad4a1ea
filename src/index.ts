export { SkeinError } from "./core/index.ts";
export { ClaudeEngine, claudePrompt } from "./engine/index.ts";

export type { AdapterOptions, EvaluateOptions } from "./adapter/adapter-options.ts";
export type { DeniedCall } from "./adapter/call-log.ts";
export { ClaudeAgentSDKAdapter } from "./adapter/claude-agent-sdk-adapter.ts";
export {
  EvaluationError,
  type FinishedResponse,
  type PromptResponse,
  type StoppedResponse,
} from "./adapter/prompt-response.ts";
export {
  command,
  composite,
  fileOutput,
  type Completion,
  type CompletionChecker,
  type CompletionContext,
} from "./completion/completion-checker.ts";
export { OutputError } from "./output/output-shape.ts";
export type { SchemaIssue, StandardSchemaV1 } from "./output/standard-schema.ts";
export { InProcessDispatcher, type Dispatcher, type DispatchResult, type DispatchEvent } from "./session/dispatcher.ts";
export type { PromptExecuted, PromptRendered, ToolInvoked, PromptEvent } from "./session/prompt-events.ts";
export {
  PromptSession,
  eventLog,
  type PromptSessionOptions,
  type PromptSessionSnapshot,
} from "./session/prompt-session.ts";
export { append, replaceLatest, upsertBy, type Reducer } from "./session/reducers.ts";
export type { SliceTransaction } from "./session/slice-transactions.ts";
export { defineSlice, type Reducers, type SliceDefinition, type Slice } from "./session/slice.ts";
export { readSkill, type Skill, type SkillFolder, type SkillText } from "./skills/skill.ts";
export { MarkdownSection } from "./template/markdown-section.ts";
export { createOverrideStore, type OverrideStore } from "./template/override-store.ts";
export type { PromptDescriptor } from "./template/prompt-descriptor.ts";
export { createOverrides, type PromptOverrides } from "./template/prompt-overrides.ts";
export { PromptTemplate, type PromptTemplateOptions } from "./template/prompt-template.ts";
export { Prompt, type PromptOptions } from "./template/prompt.ts";
export { type RenderedPrompt } from "./template/render-prompt.ts";
export { Section, type AnySection, type RenderContext, type SectionOptions } from "./template/section.ts";
export { WorkspaceSection, type WorkspaceSectionOptions } from "./template/workspace-section.ts";
export {
  permissionToolPolicy,
  stayInside,
  readBeforeWrite,
  sequentialDependency,
  type StayInsideOptions,
  type ReadBeforeWriteOptions,
} from "./tools/policies.ts";
export type { EndedCall, PolicyContext, ToolCall, ToolOutcome, ToolPolicy } from "./tools/tool-policy.ts";
export { ToolResult } from "./tools/tool-result.ts";
export { tool, type AnyTool, type Tool, type ToolContext, type ToolDefinition } from "./tools/tool.ts";

export type { PromptWarning } from "./apply-overrides.ts";
export type { PlacedSection } from "./check-sections.ts";
export { isSectionsOpened, MAX_OPENINGS, type SectionsOpened } from "./disclosure.ts";
export { MarkdownSection, type MarkdownSectionOptions, type TemplateParams } from "./markdown-section.ts";
export { createOverrideStore, type OverrideKey, type OverrideStore } from "./overrides/override-store.ts";
export { createOverrides, type PromptOverrides } from "./overrides/prompt-overrides.ts";
export type { PlaceholderNames, PlaceholderValue } from "./placeholders.ts";
export type { PromptDescriptor, SectionDescriptor } from "./prompt-descriptor.ts";
export { PromptTemplate, type PromptTemplateOptions } from "./prompt-template.ts";
export { Prompt, type PromptOptions } from "./prompt.ts";
export { readSkill } from "./read-skill.ts";
export { sectionText, type RenderedPrompt, type RenderedSection } from "./rendered-prompt.ts";
export {
  Section,
  type AnySection,
  type ParamsOf,
  type ParamsOfAll,
  type RenderContext,
  type SectionOptions,
  type Visibility,
} from "./section.ts";
export { PromptSession, type PromptSessionOptions } from "./session.ts";
export { defineSlice, type Reducers, type SliceDefinition, type SlicePolicy } from "./session/define-slice.ts";
export { eventLog, type PromptEvent } from "./session/event-log.ts";
export { InProcessDispatcher, type Dispatcher } from "./session/in-process-dispatcher.ts";
export type { PromptExecuted, PromptRendered, ToolInvoked } from "./session/prompt-events.ts";
export { append, replaceLatest, upsertBy, type Reducer } from "./session/reducers.ts";
export type { DispatchError, DispatchResult, PromptEvents, DispatchEvent } from "./session/session-event.ts";
export type { PromptSessionSnapshot } from "./session/session-snapshot.ts";
export type { SliceContents } from "./session/slice-store.ts";
export type { Slice } from "./session/slice.ts";
export type { SliceTransaction } from "./session/transactions.ts";
export { formatSkill, type Skill, type SkillFolder, type SkillText } from "./skill.ts";
export type { AdapterOptions, EvaluateOptions } from "./adapter/adapter-options.ts";
export type { DeniedCall } from "./adapter/call-log.ts";
export { EvaluationError, type FailedEvaluation } from "./adapter/evaluation-error.ts";
export type { FinishedResponse, PromptResponse, StoppedResponse } from "./adapter/prompt-response.ts";
export { command } from "./checkers/command.ts";
export { composite } from "./checkers/composite.ts";
export { fileOutput } from "./checkers/file-output.ts";
export { ClaudeAgentSDKAdapter } from "./claude-agent-sdk-adapter.ts";
export type { Completion, CompletionChecker, CompletionContext } from "./completion-checker.ts";
export { OutputError } from "./output/output-error.ts";
export { permissionToolPolicy, stayInside, type StayInsideOptions } from "./policies/permission-tool-policy.ts";
export { readBeforeWrite, type ReadBeforeWriteOptions } from "./policies/read-before-write.ts";
export { sequentialDependency } from "./policies/sequential-dependency.ts";
export type { InputOf, OutputOf, SchemaIssue, SchemaResult, StandardSchemaV1 } from "./standard-schema.ts";
export { tool, type AnyTool, type Tool, type ToolContext, type ToolDefinition, type ToolExample } from "./tool.ts";
export type { EndedCall, PolicyContext, PolicyDenial, ToolCall, ToolOutcome, ToolPolicy } from "./tool-policy.ts";
export { ToolResult } from "./tool-result.ts";
export { WorkspaceSection, type SectionDirectory, type WorkspaceSectionOptions } from "./workspace-section.ts";

import type { HookCallback, HookCallbackMatcher, HookEvent } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import type { ClaudeOptions } from "./claude-options.ts";
import { callback, type FieldsOf } from "./option-values.ts";

/** The SDK has this list too, but to load the SDK takes longer than many a command. */
export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "PermissionRequest",
  "PermissionDenied",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
] as const satisfies readonly HookEvent[];

const MATCHER = {
  matcher: z.string().optional(),
  hooks: z.array(callback<HookCallback>()).min(1),
  timeout: z.number().positive().optional(),
  onFailure: z.enum(["continue", "block"]).optional(),
} satisfies FieldsOf<HookCallbackMatcher>;

const matchers = z.array(z.strictObject(MATCHER)).optional();

/** Hooks by event. Strict, because a hook of a misspelt event would never be called. */
export const hooksSchema = z.strictObject(
  Object.fromEntries(HOOK_EVENTS.map((event) => [event, matchers])),
) as unknown as z.ZodType<NonNullable<ClaudeOptions["hooks"]>>;

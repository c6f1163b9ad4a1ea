import { HOOK_EVENTS, type HookCallback, type HookCallbackMatcher } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import type { ClaudeOptions } from "./claude-options.ts";
import { callback, type FieldsOf } from "./option-values.ts";

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

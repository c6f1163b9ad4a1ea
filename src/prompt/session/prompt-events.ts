import { z } from "zod";
import type { Usage } from "../../core/internal.ts";
import { descriptorSchema } from "../template/prompt-descriptor.ts";

const eventBase = {
  eventId: z.string(),
  /** The `PromptSession` that it was dispatched to. */
  sessionId: z.string(),
  /** The same in all events of one evaluation, however many turns it took. */
  evaluationId: z.string(),
  promptNs: z.string(),
  promptKey: z.string(),
  promptName: z.string().optional(),
  createdAt: z.iso.datetime(),
  /** The recorded turn; known once the turn is over, so always in `prompt-executed` and seldom before. */
  transitionId: z.string().optional(),
  stateId: z.string().optional(),
};

const usage: z.ZodType<Usage> = z.looseObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});

export const promptRenderedSchema = z
  .looseObject({
    type: z.literal("prompt-rendered"),
    ...eventBase,
    text: z.string(),
    descriptor: descriptorSchema,
    tools: z.array(z.string()).readonly(),
  })
  .readonly();

export const toolInvokedSchema = z
  .looseObject({
    type: z.literal("tool-invoked"),
    ...eventBase,
    /** The model's id of the call, as the transition's tool executions have it. */
    callId: z.string(),
    /** The tool's name, without the prefix of a bridged one. */
    name: z.string(),
    /** Whether it is a tool of the prompt, and not one of Claude Code's own. */
    isBridged: z.boolean(),
    input: z.unknown(),
    success: z.boolean(),
    /** Whether it was not let run, by a policy or a spent budget. */
    isDenied: z.boolean().optional(),
    /** What the model was shown. */
    output: z.unknown(),
    value: z.unknown().optional(),
  })
  .readonly();

export const promptExecutedSchema = z
  .looseObject({
    type: z.literal("prompt-executed"),
    ...eventBase,
    text: z.string().optional(),
    output: z.unknown().optional(),
    usage,
    costUsd: z.number(),
    /** Why it ended before its time, where it did. */
    stopped: z.unknown().optional(),
  })
  .readonly();

/** A prompt was rendered, and is about to be sent. */
export type PromptRendered = z.infer<typeof promptRenderedSchema>;

/** A tool call is over: a native one or one of the prompt's tools; each call once. */
export type ToolInvoked = z.infer<typeof toolInvokedSchema>;

/** An evaluation is over. */
export type PromptExecuted = z.infer<typeof promptExecutedSchema>;

/** The events that evaluations dispatch, by their types. */
export interface PromptEvents {
  readonly "prompt-rendered": PromptRendered;
  readonly "tool-invoked": ToolInvoked;
  readonly "prompt-executed": PromptExecuted;
}

/** An event of an evaluation. */
export type PromptEvent = PromptEvents[keyof PromptEvents];

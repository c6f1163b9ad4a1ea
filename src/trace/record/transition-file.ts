import { z } from "zod";
import { ERROR_KINDS } from "../../core/internal.ts";
import type { StateId, StateStore, StoredState } from "../../workspace/internal.ts";
import { Amount, Dollars, ModelName, Moment, parseFile, RecordId, SessionId, ShortName } from "./stored-file.ts";

const Usage = z.strictObject({
  inputTokens: Amount,
  outputTokens: Amount,
  cacheReadTokens: Amount,
  cacheWriteTokens: Amount,
});

const Outcome = z.enum(["completed", "failed", "cancelled", "interrupted"]);

/** How a turn ended. An interrupted one was cut off: its process or its host died. */
export type Outcome = z.infer<typeof Outcome>;

const ErrorFile = z.looseObject({
  name: z.string(),
  kind: z.enum(ERROR_KINDS),
  message: z.string(),
  retryable: z.boolean(),
});

/** A tool call. Input and output are in the session; only where that does not hold them are they here. */
const ToolRecord = z.strictObject({
  toolUseId: ShortName,
  tool: ShortName,
  startedAt: Moment,
  durationMs: Amount,
  isError: z.boolean(),
  isDenied: z.boolean(),
  /** It had no result when the turn ended. */
  isOpen: z.boolean(),
  parentToolUseId: z.string().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
});

/** A tool call as `transition.json` has it. */
export type ToolRecord = z.infer<typeof ToolRecord>;

const Ledger = z.strictObject({
  /** Where the turn's own numbers come from: its result, or what was seen of it before it was cut off. */
  source: z.enum(["result", "stream", "transcript"]),
  /** Whether the numbers are only a lower bound. */
  isLowerBound: z.boolean(),
  /** The part of sub-agents, by model, as the transcript tells it. */
  subagents: z.record(z.string(), Usage),
  /** The same by the type of sub-agent, priced by the price list; an empty name where the type is not known. There where a turn had sub-agents. */
  agents: z.record(ShortName, Usage.extend({ costUsd: Dollars })).optional(),
  mismatches: z.array(
    z.strictObject({
      model: z.string(),
      field: Usage.keyof(),
      source: z.enum(["stream", "transcript"]),
      result: z.number(),
      found: z.number(),
    }),
  ),
});

/** What a turn cost by each source, and where they differ. */
export type Ledger = z.infer<typeof Ledger>;

const Execution = z.strictObject({
  response: z.string(),
  /** Empty where the turn was cut off before it had one. */
  sessionId: z.union([SessionId, z.literal("")]),
  model: ModelName,
  outcome: Outcome,
  isError: z.boolean(),
  error: ErrorFile.optional(),
  stopReason: z.string().optional(),
  terminalReason: z.string().optional(),
  costUsd: Dollars,
  /** There where every response came from the offline model; records from before it was told do not have it. */
  offline: z.literal(true).optional(),
  /** The scenario that the offline model played. */
  scenario: z.string().max(1000).optional(),
  usage: Usage,
  usageByModel: z.record(z.string(), Usage.extend({ costUsd: Dollars })),
  durationMs: Amount,
  /** The part of it that was spent waiting for the API. */
  durationApiMs: Amount.optional(),
  /** The engine's word for how the turn ended, and the id of its own result message. */
  subtype: z.string().optional(),
  uuid: z.string().optional(),
  /** Model responses that it took. */
  responses: z.int().nonnegative().max(1e9),
  startedAt: Moment,
  permissionDenials: z.array(z.strictObject({ tool: z.string(), toolUseId: z.string(), input: z.unknown() })),
  structuredOutput: z.unknown().optional(),
  tools: z.array(ToolRecord),
  ledger: Ledger,
});

/** What the agent did in a turn. */
export type Execution = z.infer<typeof Execution>;

const Prompt = z.strictObject({
  text: z.string(),
  /** What was sent along; the content itself is in the session. */
  attachments: z.array(z.strictObject({ type: z.enum(["image", "pdf", "text"]), name: z.string() })),
});

/** What was asked. */
export type RecordedPrompt = z.infer<typeof Prompt>;

const TransitionFile = z.strictObject({
  version: z.literal(1),
  id: RecordId,
  conversationId: RecordId,
  /** The turn's number in its session: its messages are in that segment. */
  turn: z.int().positive().max(1e6),
  prompt: Prompt,
  execution: Execution,
  recordedAt: Moment,
  metadata: z.record(z.string(), z.unknown()),
  rewards: z.record(ShortName, z.number()),
});

export type TransitionFile = Omit<z.infer<typeof TransitionFile>, "version">;

export async function readTransitionFile(states: StateStore, stored: StoredState): Promise<TransitionFile> {
  return parseTransitionFile(stored.id, await states.file(stored, "transition.json"));
}

export function parseTransitionFile(id: StateId, text: string | undefined): TransitionFile {
  return parseFile(TransitionFile, text, `transition.json of ${id}`);
}

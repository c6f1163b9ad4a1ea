import { z } from "zod";
import { isoTime, systemClock, type Clock } from "../clock.ts";
import { ERROR_KINDS, SkeinError, type ErrorRecord } from "../errors.ts";
import { NO_USAGE, type ModelUsage, type Usage } from "../usage/usage.ts";

const text = z.string();
const count = z.number().nonnegative();

const tokens = { inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count };
const usage: z.ZodType<Usage> = z.looseObject(tokens);
const modelUsage: z.ZodType<ModelUsage> = z.looseObject({ ...tokens, costUsd: z.number() });

const error: z.ZodType<ErrorRecord> = z.looseObject({
  name: text,
  kind: z.enum(ERROR_KINDS),
  message: text,
  retryable: z.boolean(),
  hint: text.exactOptional(),
  target: text.exactOptional(),
});

const denial = open({ tool: text, toolUseId: text, input: z.unknown() });

const result = open({
  /** The agent's last answer. */
  text,
  sessionId: text,
  isError: z.boolean(),
  /** Why it failed, where it did. */
  error: error.exactOptional(),
  /** The engine's word for how the turn ended: `success`, `error_max_turns` … It says `success` of an API error too: `isError` decides. */
  subtype: text.exactOptional(),
  /** The id of the engine's own result message. */
  uuid: text.exactOptional(),
  /** The model's own last word: `end_turn`, `tool_use`, `max_tokens` … */
  stopReason: text.exactOptional(),
  /** The engine's word for why the turn ended: `completed`, `max_turns`, `api_error` … */
  terminalReason: text.exactOptional(),
  usage,
  usageByModel: z.record(text, modelUsage).readonly(),
  /** Money of this turn alone, sub-agents included. */
  costUsd: z.number(),
  /** There where every response came from the offline model: the money is what a real one would have cost, and nobody paid it. */
  offline: z.literal(true).exactOptional(),
  /** The scenario that the offline model played. */
  scenario: text.exactOptional(),
  /** Whether usage and money are only a lower bound: a response broke off, or the turn was killed, before all of its tokens were told. */
  isLowerBound: z.boolean().exactOptional(),
  durationMs: z.number(),
  /** The part of it that was spent waiting for the API, where the engine tells it; requests at once count each. */
  durationApiMs: count.exactOptional(),
  /** Model responses that it took. */
  responses: count,
  /** The model that gave the last answer, as the API names it; where there was none, the one that was to give it. */
  model: text,
  permissionDenials: z.array(denial).readonly(),
  /** The answer in the shape that was asked for, where one was. */
  structuredOutput: z.unknown().optional(),
  /** Whether the prompt was taken into an earlier turn: the answer is that turn's, and what it cost is counted there. */
  isFolded: z.boolean().exactOptional(),
});

/** What a turn came to. A failed turn has a result too, with `error`. */
export type TurnResult = Readonly<z.infer<typeof result>>;

const eventBase = {
  /** When Skein saw it, ISO 8601. */
  timestamp: z.iso.datetime({ offset: true }),
  /** The Claude Code session, once it is known. */
  sessionId: text.exactOptional(),
  /** The tool call that a sub-agent works for; absent in the main conversation. */
  parentToolUseId: text.exactOptional(),
  /** The engine's own message, whole. */
  raw: z.unknown().optional(),
};

/** The model that wrote it, as the API names it, where that is told. */
const written = { model: text.exactOptional() };

/** A type of event, with the fields that it has beside those of all. It checks and changes nothing: fields of a later version stay. */
function event<Type extends string, Fields extends z.core.$ZodLooseShape>(type: Type, fields: Fields) {
  return open({ ...eventBase, type: z.literal(type), ...fields });
}

const EVENTS = [
  event("turn-start", { model: text, cwd: text, tools: z.array(text).readonly(), permissionMode: text }),
  event("text-delta", { text }),
  /** A piece of thinking as it is being written; the whole follows as `thinking`. */
  event("thinking-delta", { text }),
  /** The signature of the thinking that was written last: by it the API knows that thinking again. */
  event("signature-delta", { signature: text }),
  /** A piece of a tool call's input as it is being written: JSON that is whole only with all its pieces. The call follows as `tool-start`. */
  event("tool-input-delta", { toolUseId: text, tool: text, json: text }),
  event("text", { text, ...written }),
  /** A whole block of thinking. */
  event("thinking", { text, ...written }),
  event("tool-start", { toolUseId: text, tool: text, input: z.unknown(), ...written }),
  event("tool-end", {
    toolUseId: text,
    tool: text,
    /** What the model is shown: text, or content blocks. */
    output: z.unknown(),
    isError: z.boolean(),
    isDenied: z.boolean(),
    durationMs: z.number(),
  }),
  event("usage", {
    /** The id that the API gave the response. */
    messageId: text,
    /** The model that writes it, as the API names it. */
    model: text,
    usage,
    /** Whether the API has told what the response came to; until then its output is only begun to be counted. */
    isFinal: z.boolean(),
    /** The model's own last word of the response: `end_turn`, `tool_use` … There once the usage is final. */
    stopReason: text.exactOptional(),
  }),
  /** Something to show while waiting: a retry, a compaction, a sub-agent, a hook; `status` is the engine's word for it. */
  event("status", { status: text, detail: text.exactOptional() }),
  /** A failure; the turn may go on after it, and its end says how it ended. */
  event("error", { error }),
  event("turn-end", { result }),
  /** The turn is recorded as a state: it survives whatever happens from here on. `stateId` is the state after it. */
  event("state-recorded", { stateId: text, transitionId: text, conversationId: text }),
  /** A message of a kind that this version does not know; `raw` has all of it. */
  event("unknown", {}),
  /** An event of a kind that a caller defined, see `defineEvent`; `name` is the caller's word for it. */
  event("custom", { name: text, data: z.unknown() }),
];

/** Everything that can happen in a turn, in Skein's words. */
export type SkeinEvent = Readonly<z.infer<(typeof EVENTS)[number]>>;

/** An event of one type, or of one of several. */
export type EventOf<Type extends SkeinEvent["type"]> = Extract<SkeinEvent, { readonly type: Type }>;

/** The agent took the prompt: what it runs with. */
export type TurnStartEvent = EventOf<"turn-start">;

/** A piece of text as it is being written; the whole follows as `text`. */
export type TextDeltaEvent = EventOf<"text-delta">;

/** A whole block of text. */
export type TextEvent = EventOf<"text">;

/** The model called a tool. */
export type ToolStartEvent = EventOf<"tool-start">;

/** A tool call ended, well or not, or was denied. */
export type ToolEndEvent = EventOf<"tool-end">;

/** What a response has used, as it becomes known: when it begins, and when the API has told what it came to. */
export type UsageEvent = EventOf<"usage">;

/** The turn is over. */
export type TurnEndEvent = EventOf<"turn-end">;

/** The events of a turn, as they happen, and then its result. */
export type TurnStream = AsyncGenerator<SkeinEvent, TurnResult, void>;

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(EVENTS.map((schema) => [schema.shape.type.value, schema]));

/** An object whose other fields are kept; its type is that of the fields we know. */
function open<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields> {
  return z.looseObject(fields);
}

const anyEvent = z.looseObject({ type: text });

/** Reads an event back from JSON. A type that this version does not know becomes an `unknown` event with all of it in `raw`. */
export function parseEvent(json: unknown, clock: Clock = systemClock): SkeinEvent {
  const schema = SCHEMAS.get(check(anyEvent, json).type);
  return schema ? (check(schema, json) as SkeinEvent) : toUnknown(json as Readonly<Record<string, unknown>>, clock);
}

/** What the event shares with every other is kept where it is as it is in ours. */
function toUnknown(raw: Readonly<Record<string, unknown>>, clock: Clock): EventOf<"unknown"> {
  const own = (field: keyof typeof eventBase): object =>
    raw[field] !== undefined && eventBase[field].safeParse(raw[field]).success ? { [field]: raw[field] } : {};
  const timestamp = isoTime(clock.now());
  return { timestamp, ...own("timestamp"), ...own("sessionId"), ...own("parentToolUseId"), type: "unknown", raw };
}

function check<Value>(schema: z.ZodType<Value>, json: unknown): Value {
  const { data, error: refusal } = schema.safeParse(json);
  if (!refusal) return data;
  const [issue] = refusal.issues;
  const target = z.core.toDotPath(issue?.path ?? []) || undefined;
  const place = target ? `, at ${target}` : "";
  throw new SkeinError(`Not an event${place}: ${issue?.message}`, { kind: "parse", target, cause: refusal });
}

/** The result of a turn that failed before it did anything: it used nothing and cost nothing. */
export function failedResult(
  failure: SkeinError,
  { sessionId = "", model = "" }: { readonly sessionId?: string | undefined; readonly model?: string | undefined } = {},
): TurnResult {
  return {
    text: "",
    sessionId,
    isError: true,
    error: failure.toJSON(),
    usage: NO_USAGE,
    usageByModel: {},
    costUsd: 0,
    durationMs: 0,
    responses: 0,
    model,
    permissionDenials: [],
  };
}

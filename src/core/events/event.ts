import { z } from "zod";
import { isoTime, systemClock, type Clock } from "../clock.ts";
import { ERROR_KINDS, SkeinError, type ErrorRecord } from "../errors.ts";
import { NO_USAGE, type ModelUsage, type Usage } from "../usage/usage.ts";

const text = z.string();
const count = z.number().nonnegative();

const tokens = {
  inputTokens: count.describe("Tokens that were read and not from the cache"),
  outputTokens: count.describe("Tokens that were written, thinking too"),
  cacheReadTokens: count.describe("Tokens that were read from the cache"),
  cacheWriteTokens: count.describe("Tokens that were written into the cache"),
};
const usage: z.ZodType<Usage> = z.looseObject(tokens);
const modelUsage: z.ZodType<ModelUsage> = z.looseObject({
  ...tokens,
  costUsd: z.number().describe("What the model's part cost, in US dollars"),
});

const error: z.ZodType<ErrorRecord> = z.looseObject({
  name: text.describe("The error's class"),
  kind: z.enum(ERROR_KINDS).describe("What went wrong, from a closed list; branch on this"),
  message: text.describe("What went wrong, in a sentence for people"),
  retryable: z.boolean().describe("Whether the same may succeed if tried again"),
  hint: text.exactOptional().describe("What to do next"),
  target: text.exactOptional().describe("The path, flag, id or address concerned"),
});

const denial = open({
  tool: text.describe("The tool's name"),
  toolUseId: text.describe("The call's id"),
  input: z.unknown().describe("What the tool would have been given"),
});

const result = open({
  /** The agent's last answer. */
  text: text.describe("The agent's last answer"),
  sessionId: text.describe("The Claude Code session of the turn"),
  isError: z.boolean().describe("Whether the turn failed"),
  /** Why it failed, where it did. */
  error: error.exactOptional().describe("Why it failed, where it did"),
  /** The engine's word for how the turn ended: `success`, `error_max_turns` … It says `success` of an API error too: `isError` decides. */
  subtype: text
    .exactOptional()
    .describe(
      "The engine's word for how the turn ended: `success`, `error_max_turns` … It says `success` of an API error too: `isError` decides",
    ),
  /** The id of the engine's own result message. */
  uuid: text.exactOptional().describe("The id of the engine's own result message"),
  /** The model's own last word: `end_turn`, `tool_use`, `max_tokens` … */
  stopReason: text.exactOptional().describe("The model's own last word: `end_turn`, `tool_use`, `max_tokens` …"),
  /** The engine's word for why the turn ended: `completed`, `max_turns`, `api_error` … */
  terminalReason: text
    .exactOptional()
    .describe("The engine's word for why the turn ended: `completed`, `max_turns`, `api_error` …"),
  usage: usage.describe("The tokens of the turn, those of sub-agents too"),
  usageByModel: z.record(text, modelUsage).readonly().describe("Tokens and money of each model, by its name"),
  /** Money of this turn alone, sub-agents included. */
  costUsd: z.number().describe("Money of this turn alone, sub-agents included"),
  /** There where every response came from the offline model: the money is what a real one would have cost, and nobody paid it. */
  offline: z
    .literal(true)
    .exactOptional()
    .describe(
      "There where every response came from the offline model: the money is what a real one would have cost, and nobody paid it",
    ),
  /** The scenario that the offline model played. */
  scenario: text.exactOptional().describe("The scenario that the offline model played"),
  /** Whether usage and money are only a lower bound: a response broke off, or the turn was killed, before all of its tokens were told. */
  isLowerBound: z
    .boolean()
    .exactOptional()
    .describe(
      "Whether usage and money are only a lower bound: a response broke off, or the turn was killed, before all of its tokens were told",
    ),
  durationMs: z.number().describe("How long the turn took, in milliseconds"),
  /** The part of it that was spent waiting for the API, where the engine tells it; requests at once count each. */
  durationApiMs: count
    .exactOptional()
    .describe(
      "The part of it that was spent waiting for the API, where the engine tells it; requests at once count each",
    ),
  /** Model responses that it took. */
  responses: count.describe("Model responses that it took"),
  /** The model that gave the last answer, as the API names it; where there was none, the one that was to give it. */
  model: text.describe(
    "The model that gave the last answer, as the API names it; where there was none, the one that was to give it",
  ),
  permissionDenials: z.array(denial).readonly().describe("The tool calls that were not permitted"),
  /** The answer in the shape that was asked for, where one was. */
  structuredOutput: z.unknown().optional().describe("The answer in the shape that was asked for, where one was"),
  /** Whether the prompt was taken into an earlier turn: the answer is that turn's, and what it cost is counted there. */
  isFolded: z
    .boolean()
    .exactOptional()
    .describe(
      "Whether the prompt was taken into an earlier turn: the answer is that turn's, and what it cost is counted there",
    ),
});

/** What a turn came to. A failed turn has a result too, with `error`. */
export type TurnResult = Readonly<z.infer<typeof result>>;

const eventBase = {
  /** When Skein saw it, ISO 8601. */
  timestamp: z.iso.datetime({ offset: true }).describe("When Skein saw it, ISO 8601"),
  /** The Claude Code session, once it is known. */
  sessionId: text.exactOptional().describe("The Claude Code session, once it is known"),
  /** The tool call that a sub-agent works for; absent in the main conversation. */
  parentToolUseId: text
    .exactOptional()
    .describe("The tool call that a sub-agent works for; absent in the main conversation"),
  /** The engine's own message, whole. */
  raw: z.unknown().optional().describe("The engine's own message, whole"),
};

/** The model that wrote it, as the API names it, where that is told. */
const written = { model: text.exactOptional().describe("The model that wrote it, as the API names it") };

/** A type of event, with the fields that it has beside those of all. It checks and changes nothing: fields of a later version stay. */
function event<Type extends string, Fields extends z.core.$ZodLooseShape>(type: Type, meaning: string, fields: Fields) {
  return open({ ...eventBase, type: z.literal(type).describe("What happened"), ...fields }).describe(meaning);
}

/** The schema of each event; the description says what happened. */
export const EVENTS = [
  event("turn-start", "The agent took the prompt: what it runs with", {
    model: text.describe("The model that is to answer, as the API names it"),
    cwd: text.describe("The folder that the agent works in"),
    tools: z.array(text).readonly().describe("The names of the tools that it has"),
    permissionMode: text.describe("The CLI's permission mode: `default`, `acceptEdits`, `plan` …"),
  }),
  event("text-delta", "A piece of text as it is being written; the whole follows as `text`", {
    text: text.describe("What was added to the text"),
  }),
  event("thinking-delta", "A piece of thinking as it is being written; the whole follows as `thinking`", {
    text: text.describe("What was added to the thinking"),
  }),
  event(
    "signature-delta",
    "The signature of the thinking that was written last: by it the API knows that thinking again",
    { signature: text.describe("The signature") },
  ),
  event("tool-input-delta", "A piece of a tool call's input as it is being written; the call follows as `tool-start`", {
    toolUseId: text.describe("The call's id"),
    tool: text.describe("The tool's name"),
    json: text.describe("What was added to the input: JSON that is whole only with all its pieces"),
  }),
  event("text", "A whole block of text", { text: text.describe("The whole text"), ...written }),
  event("thinking", "A whole block of thinking", { text: text.describe("The whole thinking"), ...written }),
  event("tool-start", "The model called a tool", {
    toolUseId: text.describe("The call's id"),
    tool: text.describe("The tool's name"),
    input: z.unknown().describe("What the tool is given"),
    ...written,
  }),
  event("tool-end", "A tool call ended, well or not, or was denied", {
    toolUseId: text.describe("The call's id"),
    tool: text.describe("The tool's name"),
    /** What the model is shown: text, or content blocks. */
    output: z.unknown().describe("What the model is shown: text, or content blocks"),
    isError: z.boolean().describe("Whether it failed"),
    isDenied: z.boolean().describe("Whether it was not permitted"),
    durationMs: z.number().describe("How long the call took, in milliseconds"),
  }),
  event(
    "usage",
    "What a response has used, as it becomes known: when it begins, and when the API has told what it came to",
    {
      /** The id that the API gave the response. */
      messageId: text.describe("The id that the API gave the response"),
      /** The model that writes it, as the API names it. */
      model: text.describe("The model that writes it, as the API names it"),
      usage: usage.describe("The tokens of the response"),
      /** Whether the API has told what the response came to; until then its output is only begun to be counted. */
      isFinal: z
        .boolean()
        .describe(
          "Whether the API has told what the response came to; until then its output is only begun to be counted",
        ),
      /** The model's own last word of the response: `end_turn`, `tool_use` … There once the usage is final. */
      stopReason: text
        .exactOptional()
        .describe("The model's own last word of the response: `end_turn`, `tool_use` … There once the usage is final"),
    },
  ),
  event("status", "Something to show while waiting: a retry, a compaction, a sub-agent, a hook", {
    status: text.describe("The engine's word for what goes on"),
    detail: text.exactOptional().describe("More about it, in words"),
  }),
  event("error", "A failure; the turn may go on after it, and its end says how it ended", {
    error: error.describe("What went wrong"),
  }),
  event("question-asked", "A person is asked about a tool call that rules and permission mode leave open", {
    questionId: text.describe("The question's id: the answer names it"),
    kind: z
      .enum(["permission", "question", "plan"])
      .describe("Whether a call is to be allowed, the agent wants to be told something, or its plan is to be approved"),
    askedOn: z.enum(["terminal", "remote"]).describe("Where it is answered: at the terminal, or by `skein serve`"),
    toolUseId: text.describe("The call's id"),
    tool: text.describe("The tool's name"),
    input: z.unknown().describe("What the tool would be given"),
    isSandboxed: z.boolean().describe("Whether the call is a command that runs in the sandbox"),
    action: text.exactOptional().describe('What the tool would do, as the end of a sentence: "run a command"'),
    warnings: z
      .array(text)
      .readonly()
      .describe("What makes it more than that, each in a few words: outside the sandbox, invisible characters"),
    reason: text.exactOptional().describe("Why the CLI asks, in its own words"),
    blockedPath: text.exactOptional().describe("The path that made the CLI ask"),
    agentId: text.exactOptional().describe("The sub-agent that calls; absent in the main conversation"),
    rules: z
      .array(text)
      .readonly()
      .describe("Rules that can be allowed with it for the rest of the session; an answer names them by their places"),
    deadline: z.iso
      .datetime({ offset: true })
      .exactOptional()
      .describe("When it is denied, if nobody has answered it; absent where it waits for as long as the turn does"),
  }),
  event("question-answered", "A question was answered, or is closed because nobody did in time", {
    questionId: text.describe("The question's id"),
    toolUseId: text.describe("The call's id"),
    tool: text.describe("The tool's name"),
    decision: z.enum(["allow", "deny"]).describe("What was decided"),
    by: text.describe(
      "Who answered, in their own word; `terminal`, `deadline`, or `cancelled` where the turn ended first",
    ),
    message: text.exactOptional().describe("What the model is told of a call that is not made"),
    rules: z.array(text).readonly().describe("The rules that hold from here on in the session"),
    answers: z.record(text, text).readonly().exactOptional().describe("What the agent was told, by its question"),
    waitedMs: count.describe("How long it was open, in milliseconds"),
  }),
  event("turn-end", "The turn is over", { result: result.describe("What the turn came to") }),
  event("state-recorded", "The turn is recorded as a state: it survives whatever happens from here on", {
    stateId: text.describe("The state after the turn"),
    transitionId: text.describe("The turn's id"),
    conversationId: text.describe("The conversation that it belongs to"),
  }),
  event("unknown", "A message of a kind that this version does not know; `raw` has all of it", {}),
  event("custom", "An event of a kind that a caller defined, see `defineEvent`", {
    name: text.describe("The caller's word for it"),
    data: z.unknown().describe("What the caller told with it"),
  }),
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

let schemas: ReadonlyMap<string, z.ZodType> | undefined;

/** By their types; looked at when an event is read: most commands read none. */
function schemaOf(type: string): z.ZodType | undefined {
  schemas ??= new Map(EVENTS.map((schema) => [schema.shape.type.value, schema]));
  return schemas.get(type);
}

/** An object whose other fields are kept; its type is that of the fields we know. */
function open<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields> {
  return z.looseObject(fields);
}

const anyEvent = z.looseObject({ type: text });

/** Reads an event back from JSON. A type that this version does not know becomes an `unknown` event with all of it in `raw`. */
export function parseEvent(json: unknown, clock: Clock = systemClock): SkeinEvent {
  const schema = schemaOf(check(anyEvent, json).type);
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

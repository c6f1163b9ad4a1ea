import { z } from "zod";
import { isoTime, systemClock, type Clock } from "../clock.ts";
import { ERROR_KINDS, SkeinError, type ErrorRecord } from "../errors.ts";
import type { PermissionDenial, SkeinEvent, TurnResult, UnknownEvent } from "./event.ts";
import type { ModelUsage, Usage } from "../usage/usage.ts";

type EventOf<Type extends SkeinEvent["type"]> = Extract<SkeinEvent, { readonly type: Type }>;

/** A schema for each named field of a record, the optional ones too: a field more or less does not compile. */
type Shape<Record> = {
  readonly [Field in keyof Required<Record> as string extends Field ? never : Field]: z.ZodType<Record[Field]>;
};

const count = z.number().nonnegative();

const usage = {
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
} satisfies Shape<Usage>;

const modelUsage = { ...usage, costUsd: z.number() } satisfies Shape<ModelUsage>;

const error = {
  name: z.string(),
  kind: z.enum(ERROR_KINDS),
  message: z.string(),
  retryable: z.boolean(),
  hint: z.string().exactOptional(),
  target: z.string().exactOptional(),
} satisfies Shape<ErrorRecord>;

const denial = { tool: z.string(), toolUseId: z.string(), input: z.unknown() } satisfies Shape<PermissionDenial>;

const result = {
  text: z.string(),
  sessionId: z.string(),
  isError: z.boolean(),
  error: z.looseObject(error).exactOptional(),
  subtype: z.string().exactOptional(),
  uuid: z.string().exactOptional(),
  stopReason: z.string().exactOptional(),
  terminalReason: z.string().exactOptional(),
  usage: open(usage),
  usageByModel: z.record(z.string(), open(modelUsage)),
  costUsd: z.number(),
  durationMs: z.number(),
  durationApiMs: count.exactOptional(),
  responses: count,
  model: z.string(),
  isLowerBound: z.boolean().exactOptional(),
  permissionDenials: z.array(open(denial)).readonly(),
  structuredOutput: z.unknown().optional(),
  isFolded: z.boolean().exactOptional(),
} satisfies Shape<TurnResult>;

/** What every event has, beside its type. */
const eventBase = {
  timestamp: z.iso.datetime({ offset: true }),
  sessionId: z.string().exactOptional(),
  parentToolUseId: z.string().exactOptional(),
  raw: z.unknown().optional(),
};

const turnStart = {
  ...eventBase,
  type: z.literal("turn-start"),
  model: z.string(),
  cwd: z.string(),
  tools: z.array(z.string()).readonly(),
  permissionMode: z.string(),
} satisfies Shape<EventOf<"turn-start">>;

const textDelta = { ...eventBase, type: z.literal("text-delta"), text: z.string() } satisfies Shape<
  EventOf<"text-delta">
>;

const thinkingDelta = { ...eventBase, type: z.literal("thinking-delta"), text: z.string() } satisfies Shape<
  EventOf<"thinking-delta">
>;

const signatureDelta = { ...eventBase, type: z.literal("signature-delta"), signature: z.string() } satisfies Shape<
  EventOf<"signature-delta">
>;

const toolInputDelta = {
  ...eventBase,
  type: z.literal("tool-input-delta"),
  toolUseId: z.string(),
  tool: z.string(),
  json: z.string(),
} satisfies Shape<EventOf<"tool-input-delta">>;

const written = { ...eventBase, model: z.string().exactOptional() };

const text = { ...written, type: z.literal("text"), text: z.string() } satisfies Shape<EventOf<"text">>;

const thinking = { ...written, type: z.literal("thinking"), text: z.string() } satisfies Shape<EventOf<"thinking">>;

const toolStart = {
  ...written,
  type: z.literal("tool-start"),
  toolUseId: z.string(),
  tool: z.string(),
  input: z.unknown(),
} satisfies Shape<EventOf<"tool-start">>;

const toolEnd = {
  ...eventBase,
  type: z.literal("tool-end"),
  toolUseId: z.string(),
  tool: z.string(),
  output: z.unknown(),
  isError: z.boolean(),
  isDenied: z.boolean(),
  durationMs: z.number(),
} satisfies Shape<EventOf<"tool-end">>;

const status = {
  ...eventBase,
  type: z.literal("status"),
  status: z.string(),
  detail: z.string().exactOptional(),
} satisfies Shape<EventOf<"status">>;

const failure = { ...eventBase, type: z.literal("error"), error: z.looseObject(error) } satisfies Shape<
  EventOf<"error">
>;

const turnEnd = { ...eventBase, type: z.literal("turn-end"), result: open(result) } satisfies Shape<
  EventOf<"turn-end">
>;

const stateRecorded = {
  ...eventBase,
  type: z.literal("state-recorded"),
  stateId: z.string(),
  transitionId: z.string(),
  conversationId: z.string(),
} satisfies Shape<EventOf<"state-recorded">>;

const unknown = { ...eventBase, type: z.literal("unknown") } satisfies Shape<EventOf<"unknown">>;

const custom = {
  ...eventBase,
  type: z.literal("custom"),
  name: z.string(),
  data: z.unknown(),
} satisfies Shape<EventOf<"custom">>;

/** The event union as a schema. It checks and changes nothing: fields of a later version stay where they are. */
export const eventSchema = z.discriminatedUnion("type", [
  open(turnStart),
  open(textDelta),
  open(thinkingDelta),
  open(signatureDelta),
  open(toolInputDelta),
  open(text),
  open(thinking),
  open(toolStart),
  open(toolEnd),
  open(status),
  open(failure),
  open(turnEnd),
  open(stateRecorded),
  open(unknown),
  open(custom),
]);

/** An object whose other fields are kept; its type is that of the fields we know, as it is in the union. */
function open<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields> {
  return z.looseObject(fields);
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(eventSchema.options.map(({ shape }) => shape.type.value));

const anyEvent = z.looseObject({ type: z.string() });

/**
 * Reads an event back from JSON; `JSON.stringify` is the way there. A type that this version does not know becomes an
 * `unknown` event with all of it in `raw`.
 */
export function parseEvent(json: unknown, clock: Clock = systemClock): SkeinEvent {
  const { type } = check(anyEvent, json);
  return KNOWN_TYPES.has(type) ? check(eventSchema, json) : toUnknown(json as object, clock);
}

/** What the event shares with every other is kept where it is as it is in ours. */
function toUnknown(raw: object, clock: Clock): UnknownEvent {
  const own = (field: keyof typeof eventBase): object => {
    const value = (raw as Readonly<Record<string, unknown>>)[field];
    return value !== undefined && eventBase[field].safeParse(value).success ? { [field]: value } : {};
  };
  const timestamp = isoTime(clock.now());
  return { timestamp, ...own("timestamp"), ...own("sessionId"), ...own("parentToolUseId"), type: "unknown", raw };
}

function check<Value>(schema: z.ZodType<Value>, json: unknown): Value {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = z.core.toDotPath(issue?.path ?? []);
  throw new SkeinError(`Not an event${path ? `, at ${path}` : ""}: ${issue?.message}`, {
    kind: "parse",
    ...(path ? { target: path } : {}),
    cause: parsed.error,
  });
}

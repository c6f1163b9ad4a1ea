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

/** The fields of each type of event, beside those that all have. A type or a field more or less does not compile. */
const EVENTS = {
  "turn-start": {
    model: z.string(),
    cwd: z.string(),
    tools: z.array(z.string()).readonly(),
    permissionMode: z.string(),
  },
  "text-delta": { text: z.string() },
  "thinking-delta": { text: z.string() },
  "signature-delta": { signature: z.string() },
  "tool-input-delta": { toolUseId: z.string(), tool: z.string(), json: z.string() },
  text: { text: z.string(), model: z.string().exactOptional() },
  thinking: { text: z.string(), model: z.string().exactOptional() },
  "tool-start": { toolUseId: z.string(), tool: z.string(), input: z.unknown(), model: z.string().exactOptional() },
  "tool-end": {
    toolUseId: z.string(),
    tool: z.string(),
    output: z.unknown(),
    isError: z.boolean(),
    isDenied: z.boolean(),
    durationMs: z.number(),
  },
  usage: {
    messageId: z.string(),
    model: z.string(),
    usage: open(usage),
    isFinal: z.boolean(),
    stopReason: z.string().exactOptional(),
  },
  status: { status: z.string(), detail: z.string().exactOptional() },
  error: { error: z.looseObject(error) },
  "turn-end": { result: open(result) },
  "state-recorded": { stateId: z.string(), transitionId: z.string(), conversationId: z.string() },
  unknown: {},
  custom: { name: z.string(), data: z.unknown() },
} satisfies { readonly [Type in SkeinEvent["type"]]: Shape<Omit<EventOf<Type>, "type" | keyof typeof eventBase>> };

/** They check and change nothing: fields of a later version stay where they are. */
const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(EVENTS).map(([type, fields]) => [
    type,
    z.looseObject({ ...eventBase, type: z.literal(type), ...fields }),
  ]),
);

/** An object whose other fields are kept; its type is that of the fields we know, as it is in the union. */
function open<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields> {
  return z.looseObject(fields);
}

const anyEvent = z.looseObject({ type: z.string() });

/**
 * Reads an event back from JSON; `JSON.stringify` is the way there. A type that this version does not know becomes an
 * `unknown` event with all of it in `raw`.
 */
export function parseEvent(json: unknown, clock: Clock = systemClock): SkeinEvent {
  const { type } = check(anyEvent, json);
  const schema = SCHEMAS.get(type);
  return schema ? (check(schema, json) as SkeinEvent) : toUnknown(json as object, clock);
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

import { z } from "zod";

/** A block of a message's content: only its type is sure, the rest differs by type and grows by version. */
const ContentBlockSchema = z.looseObject({ type: z.string() });

const text = z.string().optional();
const content = z.union([z.string(), z.array(z.union([ContentBlockSchema, z.string()]))]);

/** What most records say of where they stand. All of it is optional: each field is missing in some version. */
const place = {
  uuid: text,
  parentUuid: z.string().nullish(),
  logicalParentUuid: z.string().nullish(),
  sessionId: text,
  timestamp: text,
  version: text,
  cwd: text,
  gitBranch: z.string().nullish(),
  isSidechain: z.boolean().nullish(),
  agentId: z.string().nullish(),
};

function recordSchema<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.looseObject({ ...place, type: z.literal(type), ...fields });
}

/** A schema for each type of record that is known, loose: versions add fields every few weeks. */
export const RECORD_SCHEMAS = {
  /** A prompt, a tool's results, or what the CLI says to the model in the user's name. */
  user: recordSchema("user", {
    message: z.looseObject({ role: text, content }),
    isMeta: z.boolean().nullish(),
    isCompactSummary: z.boolean().nullish(),
    /** What the tool gave, in the tool's own shape: an object, a list, or the text of an error. */
    toolUseResult: z.unknown().optional(),
    sourceToolAssistantUUID: text,
  }),
  /** A block, or several, of a model's response. */
  assistant: recordSchema("assistant", {
    message: z.looseObject({
      id: text,
      role: text,
      model: text,
      content,
      stop_reason: z.string().nullish(),
      usage: z.looseObject({}).nullish(),
    }),
    requestId: z.string().nullish(),
    costUSD: z.number().nullish(),
    durationMs: z.number().nullish(),
    isApiErrorMessage: z.boolean().nullish(),
  }),
  /** A note of the CLI: a compaction, a hook's summary, an API error, how long a turn took. */
  system: recordSchema("system", {
    subtype: text,
    content: z.unknown().optional(),
    compactMetadata: z.looseObject({}).nullish(),
  }),
  /** A title that early versions gave a session, often of another file. */
  summary: z.looseObject({
    type: z.literal("summary"),
    summary: z.string(),
    leafUuid: z.string().nullish(),
  }),
  /** Something that the CLI put beside the conversation: hooks' output, reminders, files, listings. */
  attachment: recordSchema("attachment", {
    attachment: z.looseObject({ type: z.string() }),
  }),
  /** How a tool, a hook or a sub-agent is getting on; of a sub-agent, whole messages. */
  progress: recordSchema("progress", {
    data: z.looseObject({ type: z.string() }),
    toolUseID: text,
    parentToolUseID: text,
  }),
  /** The totals that the CLI itself reckons for the session so far. */
  "cost-state": z.looseObject({
    type: z.literal("cost-state"),
    sessionId: text,
    totalCostUSD: z.number(),
    modelUsage: z.record(z.string(), z.looseObject({})),
  }),
  /** Where the conversation stood when the last prompt was given. */
  "last-prompt": z.looseObject({
    type: z.literal("last-prompt"),
    lastPrompt: text,
    leafUuid: z.string().nullish(),
    sessionId: text,
  }),
  "queue-operation": recordSchema("queue-operation", { operation: text }),
  "file-history-snapshot": recordSchema("file-history-snapshot", { messageId: text, snapshot: z.unknown().optional() }),
  "file-history-delta": recordSchema("file-history-delta", {}),
  mode: recordSchema("mode", { mode: text }),
  "permission-mode": recordSchema("permission-mode", { permissionMode: text }),
  "ai-title": recordSchema("ai-title", { aiTitle: text }),
  "custom-title": recordSchema("custom-title", { customTitle: text }),
  tag: recordSchema("tag", { tag: z.string().nullish() }),
  "agent-name": recordSchema("agent-name", { agentName: text }),
  "pr-link": recordSchema("pr-link", {}),
  "tools-used": recordSchema("tools-used", { tools: z.array(z.string()) }),
  "atis-latch": recordSchema("atis-latch", {}),
  "continued-in": recordSchema("continued-in", {}),
  "frame-link": recordSchema("frame-link", {}),
  "api-request": recordSchema("api-request", { id: text, shapeHash: text }),
  "api-request-shape": recordSchema("api-request-shape", { shapeHash: text }),
  "api-request-blob": recordSchema("api-request-blob", { hash: text }),
} as const;

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

/** A prompt, a tool's results, or what the CLI says to the model in the user's name. */
const UserRecordSchema = z.looseObject({
  ...place,
  type: z.literal("user"),
  message: z.looseObject({ role: text, content }),
  isMeta: z.boolean().nullish(),
  isCompactSummary: z.boolean().nullish(),
  /** What the tool gave, in the tool's own shape: an object, a list, or the text of an error. */
  toolUseResult: z.unknown().optional(),
  sourceToolAssistantUUID: text,
});

/** A block, or several, of a model's response. */
const AssistantRecordSchema = z.looseObject({
  ...place,
  type: z.literal("assistant"),
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
});

/** A note of the CLI: a compaction, a hook's summary, an API error, how long a turn took. */
const SystemRecordSchema = z.looseObject({
  ...place,
  type: z.literal("system"),
  subtype: text,
  content: z.unknown().optional(),
  compactMetadata: z.looseObject({}).nullish(),
});

/** A title that early versions gave a session, often of another file. */
const SummaryRecordSchema = z.looseObject({
  type: z.literal("summary"),
  summary: z.string(),
  leafUuid: z.string().nullish(),
});

/** Something that the CLI put beside the conversation: hooks' output, reminders, files, listings. */
const AttachmentRecordSchema = z.looseObject({
  ...place,
  type: z.literal("attachment"),
  attachment: z.looseObject({ type: z.string() }),
});

/** How a tool, a hook or a sub-agent is getting on; of a sub-agent, whole messages. */
const ProgressRecordSchema = z.looseObject({
  ...place,
  type: z.literal("progress"),
  data: z.looseObject({ type: z.string() }),
  toolUseID: text,
  parentToolUseID: text,
});

/** The totals that the CLI itself reckons for the session so far. */
const CostStateRecordSchema = z.looseObject({
  type: z.literal("cost-state"),
  sessionId: text,
  totalCostUSD: z.number(),
  modelUsage: z.record(z.string(), z.looseObject({})),
});

/** Where the conversation stood when the last prompt was given. */
const LastPromptRecordSchema = z.looseObject({
  type: z.literal("last-prompt"),
  lastPrompt: text,
  leafUuid: z.string().nullish(),
  sessionId: text,
});

/** A record of which no more than the type and a few plain fields is relied on. */
function noteSchema<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.looseObject({ ...place, type: z.literal(type), ...fields });
}

/** A schema for each type of record that is known, loose: versions add fields every few weeks. */
export const RECORD_SCHEMAS = {
  user: UserRecordSchema,
  assistant: AssistantRecordSchema,
  system: SystemRecordSchema,
  summary: SummaryRecordSchema,
  attachment: AttachmentRecordSchema,
  progress: ProgressRecordSchema,
  "cost-state": CostStateRecordSchema,
  "last-prompt": LastPromptRecordSchema,
  "queue-operation": noteSchema("queue-operation", { operation: text }),
  "file-history-snapshot": noteSchema("file-history-snapshot", { messageId: text, snapshot: z.unknown().optional() }),
  "file-history-delta": noteSchema("file-history-delta", {}),
  mode: noteSchema("mode", { mode: text }),
  "permission-mode": noteSchema("permission-mode", { permissionMode: text }),
  "ai-title": noteSchema("ai-title", { aiTitle: text }),
  "custom-title": noteSchema("custom-title", { customTitle: text }),
  tag: noteSchema("tag", { tag: z.string().nullish() }),
  "agent-name": noteSchema("agent-name", { agentName: text }),
  "pr-link": noteSchema("pr-link", {}),
  "tools-used": noteSchema("tools-used", { tools: z.array(z.string()) }),
  "atis-latch": noteSchema("atis-latch", {}),
  "continued-in": noteSchema("continued-in", {}),
  "frame-link": noteSchema("frame-link", {}),
  "api-request": noteSchema("api-request", { id: text, shapeHash: text }),
  "api-request-shape": noteSchema("api-request-shape", { shapeHash: text }),
  "api-request-blob": noteSchema("api-request-blob", { hash: text }),
} as const;

import { z } from "zod";
import { isoTime } from "../../../core/index.ts";
import { asData } from "../../../protocol/index.ts";
import type { IndexedSession, TranscriptMessage } from "../../../transcript/index.ts";
import { countedUsage, UsageData } from "./usage-data.ts";

export const IndexedSessionData = z.strictObject({
  session_id: z.string(),
  /** All ids that belong to it: what was forked or resumed into other files is one session with them. */
  session_ids: z.array(z.string()),
  project: z.string().nullable(),
  title: z.string().nullable(),
  first_prompt: z.string().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  prompts: z.int(),
  messages: z.int(),
  subagents: z.int(),
  tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int() })),
  models: z.array(z.string()),
  cli_versions: z.array(z.string()),
  files: z.array(z.strictObject({ path: z.string(), is_subagent: z.boolean(), is_purged: z.boolean() })),
  size_bytes: z.int(),
  is_purged: z.boolean(),
  usage: UsageData,
});
export type IndexedSessionData = z.infer<typeof IndexedSessionData>;

export function toIndexedSessionData(session: IndexedSession): IndexedSessionData {
  return asData(IndexedSessionData, {
    ...session,
    sessionId: session.id,
    startedAt: timeOf(session.startedAtMs),
    endedAt: timeOf(session.endedAtMs),
    cliVersions: session.versions,
    usage: countedUsage(session.usage),
  });
}

export function nameOf({ title, first_prompt: prompt }: Pick<IndexedSessionData, "title" | "first_prompt">): string {
  return title ?? prompt ?? "";
}

function timeOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : isoTime(atMs);
}

export const MessageData = z.strictObject({
  role: z.enum(["user", "assistant"]),
  /** Why it is there: `prompt`, `answer`, `tool-result`, `meta`, `command-output`, `interrupt`, `compact-summary`. */
  kind: z.string(),
  uuid: z.string().nullable(),
  at: z.string().nullable(),
  model: z.string().nullable(),
  text: z.string(),
  thinking: z.string(),
  tools: z.array(
    z.strictObject({
      tool: z.string(),
      input: z.unknown(),
      /** What it gave; null where it never did. */
      result: z.string().nullable(),
      is_error: z.boolean(),
      duration_ms: z.number().nullable(),
    }),
  ),
  images: z.int(),
});
export type MessageData = z.infer<typeof MessageData>;

/** Puts messages into the words of the envelope; results of tools stand with the calls that they answer. */
export function toMessageData(messages: readonly TranscriptMessage[]): MessageData[] {
  return messages
    .filter(({ kind, images }) => kind !== "tool-result" || images.length > 0)
    .map((message) =>
      asData(MessageData, {
        ...message,
        at: message.timestamp,
        tools: message.toolUses.map(({ name, result, ...use }) => ({
          ...use,
          tool: name,
          result: result?.text,
          isError: result?.isError ?? false,
        })),
        images: message.images.length,
      }),
    );
}

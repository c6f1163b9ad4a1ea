import { countMessages, usageOf, type Transcript, type TranscriptMessage } from "../transcript/internal.ts";
import { toUsageData, type IndexedSessionData } from "./session-data.ts";

/** Tells of one transcript what is told of a session of several files. */
export function describeTranscript(
  transcript: Transcript,
  messages: readonly TranscriptMessage[],
  named: Pick<IndexedSessionData, "session_id" | "project">,
): IndexedSessionData {
  const prompts = messages.filter(({ kind }) => kind === "prompt");
  const times = messages.flatMap(({ timestamp }) => timestamp ?? []).toSorted();
  const subagents = transcript.subagents.flatMap((subagent) => subagent.messages);
  const models = countMessages(transcript).map(({ model }) => model);
  return {
    ...named,
    session_ids: [...transcript.sessionIds],
    title: transcript.title ?? null,
    first_prompt: prompts[0]?.text ?? null,
    started_at: times[0] ?? null,
    ended_at: times.at(-1) ?? null,
    prompts: prompts.length,
    messages: messages.length + subagents.length,
    subagents: transcript.subagents.length,
    tools: countTools([...messages, ...subagents]),
    models: [...new Set(models)],
    cli_versions: [...transcript.versions],
    files: [],
    size_bytes: transcript.sizeBytes,
    is_purged: false,
    usage: toUsageData(usageOf(transcript).total),
  };
}

function countTools(messages: readonly TranscriptMessage[]): IndexedSessionData["tools"] {
  const counts = new Map<string, { calls: number; errors: number }>();
  for (const { name, result } of messages.flatMap(({ toolUses }) => toolUses)) {
    const { calls, errors } = counts.get(name) ?? { calls: 0, errors: 0 };
    counts.set(name, { calls: calls + 1, errors: errors + (result?.isError === true ? 1 : 0) });
  }
  return [...counts].map(([tool, count]) => ({ tool, ...count }));
}

import { realpath } from "node:fs/promises";
import { toSkeinError } from "../../core/index.ts";
import { findBySession, readStateFile, readTranscript, TraceIndex, type State } from "../../trace/index.ts";
import { countMessages, usageOf, type Transcript, type TranscriptMessage } from "../../transcript/index.ts";
import { storeExists, type Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { findDirectory, openWorkspace } from "../open-workspace.ts";
import type { IndexedSessionData } from "../transcripts/indexed-session-data.ts";
import { toUsageData } from "../transcripts/usage-data.ts";
import { sourceOfMessages, sourceOfTranscripts } from "./page-source.ts";
import type { ShownSession } from "./shown-session.ts";

/** Which conversation of a workspace is meant, and which of its messages. */
export interface WantedConversation {
  /** The conversation, a Claude Code session that it went through, or any name of a state: `@`, a checkpoint. */
  readonly id: string;
  readonly cwd?: string | undefined;
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

/** Reads a recorded conversation up to the state that is named; undefined where the workspace has none of this name. */
export async function readRecordedSession(
  { id, cwd, first, last }: WantedConversation,
  context: CommandContext,
): Promise<ShownSession | undefined> {
  const directory = await findDirectory(cwd, context);
  // Looking for a session is no reason to begin a store.
  if (!(await storeExists(await realpath(directory)))) return undefined;
  await using workspace = await openWorkspace(directory, context);
  const state = await findState(workspace, id);
  const transcript = state && (await readTranscript(workspace.states, state));
  if (!state || !transcript) return undefined;
  const whole = sourceOfTranscripts([transcript]);
  const isPart = first !== undefined || last !== undefined;
  const some = last === undefined ? whole.messages.slice(0, first) : whole.messages.slice(-last);
  return {
    session: describe(transcript, { state, messages: whole.messages, project: workspace.origin }),
    source: isPart ? sourceOfMessages(some) : whole,
    page: null,
  };
}

async function findState(workspace: Workspace, name: string): Promise<State | undefined> {
  const { states } = workspace;
  try {
    return await readStateFile(states, await states.resolve(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    await using index = await TraceIndex.open(workspace);
    return await readStateFile(states, (await findBySession(index, name)).tip);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether nothing is called so; that a name means several states is worth telling. */
function isMissing(error: unknown): boolean {
  const { kind } = toSkeinError(error);
  return kind === "state_not_found" || kind === "session_not_found";
}

interface Recorded {
  readonly state: State;
  readonly messages: readonly TranscriptMessage[];
  readonly project: string;
}

function describe(transcript: Transcript, { state, messages, project }: Recorded): IndexedSessionData {
  const prompts = messages.filter(({ kind }) => kind === "prompt");
  const times = messages.flatMap(({ timestamp }) => timestamp ?? []).toSorted();
  const subagents = transcript.subagents.flatMap((subagent) => subagent.messages);
  const models = countMessages(transcript).map(({ model }) => model);
  return {
    session_id: state.conversationId,
    session_ids: [...transcript.sessionIds],
    project,
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

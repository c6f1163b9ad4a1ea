import type { TranscriptProblem } from "../problem.ts";
import type { TranscriptRecord } from "../records/transcript-record.ts";
import { buildMessages } from "./build-messages.ts";
import { isObject, string } from "./content.ts";
import { conversationTree } from "./conversation-tree.ts";
import { collectAgentProgress } from "./progress-records.ts";
import type { Subagent } from "./transcript.ts";
import type { ToolUse, TranscriptMessage } from "./transcript-message.ts";

/** A sub-agent's file, read, with what the file beside it says. */
export interface SubagentFile {
  readonly path: string;
  readonly agentId: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly records: readonly TranscriptRecord[];
  readonly problems: readonly TranscriptProblem[];
}

/** All sub-agents of a session: those with a file, those inside the main file, those only seen in progress records. */
export function collectSubagents(
  main: readonly TranscriptRecord[],
  mainMessages: readonly TranscriptMessage[],
  files: readonly SubagentFile[],
): readonly Subagent[] {
  const fromFiles = files.map(fromFile);
  const known = new Set(fromFiles.map(({ agentId }) => agentId));
  const progress = [main, ...files.map(({ records }) => records)].flatMap(collectAgentProgress);
  const fromProgress = progress
    .filter(({ agentId }) => !known.has(agentId))
    .map(({ agentId, parentToolUseId, records }) => plain({ agentId, source: "progress", records, parentToolUseId }));
  const found = [...fromFiles, ...collectInline(main), ...fromProgress];
  return found.length === 0 ? [] : linkParents(found, mainMessages, progress);
}

function fromFile({ path, agentId, meta, records, problems }: SubagentFile): Subagent {
  const parentToolUseId = string(meta["toolUseId"]);
  return {
    ...plain({ agentId, source: "file", records, parentToolUseId }),
    path,
    agentType: string(meta["agentType"]),
    description: string(meta["description"]),
    problems,
  };
}

/** Before 2.0.28 a sub-agent's records stand in the main file, without an id: each root of theirs is one sub-agent. */
function collectInline(main: readonly TranscriptRecord[]): readonly Subagent[] {
  const sidechain = main.filter((record) => "isSidechain" in record && record.isSidechain === true);
  if (sidechain.length === 0) return [];
  const tree = conversationTree(sidechain);
  const byTop = new Map<string, TranscriptRecord[]>();
  for (const record of sidechain) {
    const uuid = "uuid" in record ? string(record.uuid) : undefined;
    const agentId = "agentId" in record ? string(record.agentId) : undefined;
    const top = agentId ?? (uuid === undefined ? undefined : tree.pathTo(uuid)[0]);
    if (top === undefined) continue;
    byTop.set(top, byTop.get(top) ?? []);
    byTop.get(top)?.push(record);
  }
  return [...byTop].map(([agentId, records]) =>
    plain({ agentId, source: "inline", records, parentToolUseId: undefined }),
  );
}

function plain(given: Pick<Subagent, "agentId" | "source" | "records" | "parentToolUseId">): Subagent {
  return {
    ...given,
    path: undefined,
    agentType: undefined,
    description: undefined,
    parentAgentId: undefined,
    isCompaction: given.agentId.startsWith("acompact-"),
    messages: buildMessages(given.records),
    problems: [],
  };
}

interface Call extends ToolUse {
  readonly agentId: string | undefined;
}

/** The call is named by the file beside the sub-agent's, by the call's result, by progress, or has the same prompt. */
function linkParents(
  found: readonly Subagent[],
  mainMessages: readonly TranscriptMessage[],
  progress: ReturnType<typeof collectAgentProgress>,
): readonly Subagent[] {
  const calls: Call[] = [
    ...agentCalls(mainMessages, undefined),
    ...found.flatMap(({ agentId, messages }) => agentCalls(messages, agentId)),
  ];
  const taken = new Set<string>();
  return found.map((subagent) => {
    const stated =
      subagent.parentToolUseId ?? progress.find(({ agentId }) => agentId === subagent.agentId)?.parentToolUseId;
    const call =
      calls.find(({ id }) => id === stated) ??
      calls.find(({ result }) => isObject(result?.details) && result.details["agentId"] === subagent.agentId) ??
      calls.find((use) => !taken.has(use.id) && use.agentId !== subagent.agentId && hasPrompt(use, subagent));
    if (call !== undefined) taken.add(call.id);
    return withCall({ ...subagent, parentToolUseId: stated ?? call?.id }, call);
  });
}

function agentCalls(messages: readonly TranscriptMessage[], agentId: string | undefined): readonly Call[] {
  return messages.flatMap(({ toolUses }) =>
    toolUses.filter(({ name }) => name === "Agent" || name === "Task").map((use) => ({ ...use, agentId })),
  );
}

function withCall(subagent: Subagent, call: Call | undefined): Subagent {
  const input = isObject(call?.input) ? call.input : {};
  return {
    ...subagent,
    parentAgentId: call?.agentId,
    agentType: subagent.agentType ?? string(input["subagent_type"]),
    description: subagent.description ?? string(input["description"]),
  };
}

function hasPrompt(use: ToolUse, { messages }: Subagent): boolean {
  const prompt = isObject(use.input) ? string(use.input["prompt"]) : undefined;
  return prompt !== undefined && messages[0]?.text.trim() === prompt.trim();
}

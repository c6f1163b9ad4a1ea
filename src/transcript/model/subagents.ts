import { groupBy } from "../../core/index.ts";
import type { TranscriptProblem } from "../problem.ts";
import { isObject, string, type Fields } from "../records/content.ts";
import {
  fieldOf,
  isSidechain,
  parseRecord,
  unwrapProgress,
  type TranscriptRecord,
} from "../records/transcript-record.ts";
import { buildMessages } from "./build-messages.ts";
import { conversationTree } from "./conversation-tree.ts";
import type { Subagent, ToolUse, TranscriptMessage } from "./transcript.ts";

/** A sub-agent's file, read, with what the file beside it says. */
export interface SubagentFile {
  readonly path: string;
  readonly agentId: string;
  readonly meta: Fields;
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
  const sidechain = main.filter(isSidechain);
  if (sidechain.length === 0) return [];
  const tree = conversationTree(sidechain);
  const byTop = groupBy(sidechain, (record) => {
    const uuid = fieldOf(record, "uuid");
    return fieldOf(record, "agentId") ?? (uuid === undefined ? undefined : tree.pathTo(uuid)[0]);
  });
  return [...byTop].flatMap(([agentId, records]) =>
    agentId === undefined ? [] : [plain({ agentId, source: "inline", records, parentToolUseId: undefined })],
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
  progress: readonly AgentProgress[],
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

/** What progress records tell of one sub-agent: its messages, whole, and the call that started it. */
interface AgentProgress {
  readonly agentId: string;
  readonly parentToolUseId: string | undefined;
  readonly records: readonly TranscriptRecord[];
}

/** The messages of sub-agents that stand inside progress records, as versions 2.1.12 to 2.1.47 wrote them. */
function collectAgentProgress(records: readonly TranscriptRecord[]): readonly AgentProgress[] {
  const byAgent = new Map<string, { parentToolUseId: string | undefined; records: TranscriptRecord[] }>();
  for (const record of records) {
    const inner = record.type === "progress" ? unwrapProgress(record) : undefined;
    if (record.type !== "progress" || inner === undefined) continue;
    const parentToolUseId = string(record.parentToolUseID);
    const agentId = string(inner["agentId"]) ?? "";
    const agent = byAgent.get(agentId) ?? { parentToolUseId, records: [] };
    byAgent.set(agentId, agent);
    agent.records.push(parseRecord(inner).record);
  }
  return [...byAgent].map(([agentId, agent]) => ({ agentId, ...agent }));
}

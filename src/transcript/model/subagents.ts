import { groupBy } from "../../core/internal.ts";
import { isObject, string, type Fields } from "../records/content.ts";
import { fieldOf, isSidechain, parseRecord, type TranscriptRecord } from "../records/transcript-record.ts";
import { unwrapProgress } from "../records/unwrap-progress.ts";
import { buildMessages } from "./build-messages.ts";
import { conversationTree } from "./conversation-tree.ts";
import type { Subagent, ToolUse, TranscriptMessage } from "./transcript.ts";

export interface SubagentFile extends Pick<Subagent, "agentId" | "records" | "problems"> {
  readonly path: string;
  readonly meta: Fields;
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
    .map((agent) => plain({ ...agent, source: "progress" }));
  const found = [...fromFiles, ...collectInline(main), ...fromProgress];
  return found.length === 0 ? [] : linkParents(found, mainMessages, progress);
}

function fromFile({ path, agentId, meta, records, problems }: SubagentFile): Subagent {
  const [parentToolUseId, agentType] = [string(meta["toolUseId"]), string(meta["agentType"])];
  const found = plain({ agentId, source: "file", records, parentToolUseId });
  return { ...found, path, agentType, description: string(meta["description"]), problems };
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

/** The call is named by the file beside the sub-agent's, by the call's result, by progress, or has the same prompt. */
function linkParents(
  found: readonly Subagent[],
  mainMessages: readonly TranscriptMessage[],
  progress: readonly AgentProgress[],
): readonly Subagent[] {
  const main = { agentId: undefined, messages: mainMessages };
  const calls = [main, ...found].flatMap(agentCalls);
  const taken = new Set<string>();
  return found.map((subagent) => {
    const stated =
      subagent.parentToolUseId ?? progress.find(({ agentId }) => agentId === subagent.agentId)?.parentToolUseId;
    const call =
      calls.find(({ id }) => id === stated) ??
      calls.find(({ result }) => isObject(result?.details) && result.details["agentId"] === subagent.agentId) ??
      calls.find((use) => !taken.has(use.id) && use.agentId !== subagent.agentId && hasPrompt(use, subagent));
    if (call !== undefined) taken.add(call.id);
    const input = isObject(call?.input) ? call.input : {};
    return {
      ...subagent,
      parentToolUseId: stated ?? call?.id,
      parentAgentId: call?.agentId,
      agentType: subagent.agentType ?? string(input["subagent_type"]),
      description: subagent.description ?? string(input["description"]),
    };
  });
}

function agentCalls({ agentId, messages }: Pick<TranscriptMessage, "agentId"> & Pick<Subagent, "messages">) {
  return messages
    .flatMap(({ toolUses }) => toolUses.filter(({ name }) => name === "Agent" || name === "Task"))
    .map((use) => ({ ...use, agentId }));
}

function hasPrompt(use: ToolUse, { messages }: Subagent): boolean {
  const prompt = isObject(use.input) ? string(use.input["prompt"]) : undefined;
  return prompt !== undefined && messages[0]?.text.trim() === prompt.trim();
}

type AgentProgress = Pick<Subagent, "agentId" | "parentToolUseId" | "records">;

/** The messages of sub-agents that stand inside progress records, as versions 2.1.12 to 2.1.47 wrote them. */
function collectAgentProgress(records: readonly TranscriptRecord[]): readonly AgentProgress[] {
  const seen = records.flatMap((record) => {
    const inner = record.type === "progress" ? unwrapProgress(record) : undefined;
    return inner === undefined ? [] : [{ inner, parentToolUseId: fieldOf(record, "parentToolUseID") }];
  });
  return [...groupBy(seen, ({ inner }) => string(inner["agentId"]) ?? "")].map(([agentId, progress]) => ({
    agentId,
    parentToolUseId: progress[0]?.parentToolUseId,
    records: progress.map(({ inner }) => parseRecord(inner).record),
  }));
}

import {
  blocksOf,
  type ContentBlock,
  imagesOf,
  isObject,
  string,
  textOf,
  thinkingOf,
  userKindOf,
} from "../records/content.ts";
import { isMessage, type RecordOf, type TranscriptRecord } from "../records/transcript-record.ts";
import { usageLineOf } from "../usage/usage-line.ts";
import type { ToolResult, ToolUse, TranscriptMessage } from "./transcript.ts";

type UserRecord = RecordOf<"user">;
type AssistantRecord = RecordOf<"assistant">;

/** The messages of some records, in the order in which they begin; a record that comes twice counts once. */
export function buildMessages(records: readonly TranscriptRecord[]): readonly TranscriptMessage[] {
  const groups = groupRecords(records);
  const results = collectToolResults(records.filter((record) => record.type === "user"));
  return groups.map((group) => {
    const [first] = group;
    return first.type === "user" ? toUserMessage(first, results) : toAnswer(group as AssistantGroup, results);
  });
}

type AssistantGroup = readonly [AssistantRecord, ...AssistantRecord[]];
type Group = [UserRecord] | [AssistantRecord, ...AssistantRecord[]];

/** Lines of one response share its id, and results of its first tools may stand between them. */
function groupRecords(records: readonly TranscriptRecord[]): readonly Group[] {
  const groups: Group[] = [];
  const byId = new Map<string, [AssistantRecord, ...AssistantRecord[]]>();
  const seen = new Set<string>();
  for (const record of records) {
    if (!isMessage(record) || (record.uuid !== undefined && seen.size === seen.add(record.uuid).size)) continue;
    const id = record.type === "assistant" ? record.message.id : undefined;
    const open = id === undefined ? undefined : byId.get(id);
    if (record.type === "user") groups.push([record]);
    else if (open !== undefined) open.push(record);
    else {
      const group: [AssistantRecord] = [record];
      groups.push(group);
      if (id !== undefined) byId.set(id, group);
    }
  }
  return groups;
}

/** Field by field, as the answer below: an object that is spread from another takes five times as long to make. */
function toUserMessage(record: UserRecord, results: ReadonlyMap<string, ToolResult>): TranscriptMessage {
  const blocks = blocksOf(record.message.content);
  return {
    uuid: record.uuid,
    parentUuid: record.parentUuid ?? undefined,
    timestamp: record.timestamp,
    sessionId: record.sessionId,
    agentId: record.agentId ?? undefined,
    isSidechain: record.isSidechain === true,
    cwd: record.cwd,
    gitBranch: record.gitBranch ?? undefined,
    role: "user",
    kind: userKindOf(record, blocks),
    uuids: record.uuid === undefined ? [] : [record.uuid],
    messageId: undefined,
    requestId: undefined,
    text: textOf(blocks),
    thinking: "",
    toolUses: [],
    toolResults: blocks.flatMap((block) => {
      const result = block.type === "tool_result" ? results.get(string(block["tool_use_id"]) ?? "") : undefined;
      return result === undefined ? [] : [result];
    }),
    images: imagesOf(blocks),
    blocks,
    model: undefined,
    stopReason: undefined,
    usage: undefined,
    endTimestamp: record.timestamp,
    isApiError: false,
  };
}

function toAnswer(group: AssistantGroup, results: ReadonlyMap<string, ToolResult>): TranscriptMessage {
  const [first] = group;
  const last = group.at(-1) as AssistantRecord;
  const parts = uniqueBlocks(group);
  const blocks = parts.map(({ block }) => block);
  const usages = group.map(usageLineOf).filter((line) => line !== undefined);
  const usage = usages.at(-1);
  const isFinal = usages.some((line) => line.isFinal);
  return {
    uuid: first.uuid,
    parentUuid: first.parentUuid ?? undefined,
    timestamp: first.timestamp,
    sessionId: first.sessionId,
    agentId: first.agentId ?? undefined,
    isSidechain: first.isSidechain === true,
    cwd: first.cwd,
    gitBranch: first.gitBranch ?? undefined,
    role: "assistant",
    kind: "answer",
    uuids: group.map(({ uuid }) => uuid).filter((uuid) => uuid !== undefined),
    messageId: first.message.id,
    requestId: last.requestId ?? undefined,
    text: textOf(blocks),
    thinking: thinkingOf(blocks),
    toolUses: parts
      .filter(({ block }) => block.type === "tool_use")
      .map(({ block, record }) => toToolUse(block, record.timestamp, results)),
    toolResults: [],
    images: imagesOf(blocks),
    blocks,
    model: last.message.model,
    stopReason: group.findLast(({ message }) => string(message.stop_reason))?.message.stop_reason ?? undefined,
    usage: usage === undefined || usage.isFinal === isFinal ? usage : { ...usage, isFinal },
    endTimestamp: last.timestamp,
    isApiError: group.some(({ isApiErrorMessage }) => isApiErrorMessage === true),
  };
}

/** A resumed session may hold a response again under new uuids: a block that is already there is not taken twice. */
function uniqueBlocks(
  group: readonly AssistantRecord[],
): readonly { readonly block: ContentBlock; readonly record: AssistantRecord }[] {
  const all = group.flatMap((record) => blocksOf(record.message.content).map((block) => ({ block, record })));
  if (group.every(({ requestId }) => requestId === group[0]?.requestId)) return all;
  const seen = new Set<string>();
  return all.filter(({ block }) => {
    const own = block["text"] ?? block["id"] ?? (block["thinking"] || block["signature"]);
    return typeof own !== "string" || seen.size !== seen.add(own).size;
  });
}

/** The results in some user records, by the call that they answer. */
function collectToolResults(records: readonly RecordOf<"user">[]): ReadonlyMap<string, ToolResult> {
  const results = new Map<string, ToolResult>();
  for (const record of records) {
    const blocks = blocksOf(record.message.content).filter((block) => block.type === "tool_result");
    for (const block of blocks) {
      // Where one record answers several calls, its details are of none of them in particular.
      const result = toToolResult(block, record, blocks.length === 1 ? record.toolUseResult : undefined);
      results.set(result.toolUseId, result);
    }
  }
  return results;
}

/** A call with its result, if there is one. */
function toToolUse(
  block: ContentBlock,
  timestamp: string | undefined,
  results: ReadonlyMap<string, ToolResult>,
): ToolUse {
  const id = string(block["id"]) ?? "";
  const result = results.get(id);
  return {
    id,
    name: string(block["name"]) ?? "",
    input: block["input"],
    timestamp,
    result,
    durationMs: result === undefined ? undefined : durationOf(timestamp, result),
  };
}

function toToolResult(block: ContentBlock, record: RecordOf<"user">, details: unknown): ToolResult {
  const inner = blocksOf(block["content"]);
  return {
    toolUseId: string(block["tool_use_id"]) ?? "",
    text: textOf(inner),
    isError: block["is_error"] === true,
    isInterrupted: isObject(details) && details["interrupted"] === true,
    uuid: record.uuid,
    timestamp: record.timestamp,
    images: imagesOf(inner),
    details,
  };
}

/** What the tool states, else the time between the two records; the clock may have been set back between them. */
function durationOf(start: string | undefined, result: ToolResult): number | undefined {
  const details = isObject(result.details) ? result.details : {};
  const stated = details["totalDurationMs"] ?? details["durationMs"];
  if (typeof stated === "number") return stated;
  const between = Date.parse(result.timestamp ?? "") - Date.parse(start ?? "");
  return Number.isNaN(between) ? undefined : Math.max(0, between);
}

import {
  blocksOf,
  blocksOfType,
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
type AssistantGroup = [AssistantRecord, ...AssistantRecord[]];
type Results = ReadonlyMap<string, ToolResult>;

/** The messages of some records, in the order in which they begin; a record that comes twice counts once. */
export function buildMessages(records: readonly TranscriptRecord[]): readonly TranscriptMessage[] {
  const results = collectToolResults(records.filter((record) => record.type === "user"));
  return groupRecords(records).map((group) =>
    Array.isArray(group) ? toAnswer(group, results) : toUserMessage(group, results),
  );
}

/** Lines of one response share its id, and results of its first tools may stand between them. */
function groupRecords(records: readonly TranscriptRecord[]): readonly (UserRecord | AssistantGroup)[] {
  const groups: (UserRecord | AssistantGroup)[] = [];
  const byId = new Map<string | undefined, AssistantGroup>();
  const seen = new Set<string>();
  for (const record of records) {
    if (!isMessage(record) || (record.uuid !== undefined && seen.size === seen.add(record.uuid).size)) continue;
    if (record.type === "user") {
      groups.push(record);
      continue;
    }
    const { id } = record.message;
    const open = byId.get(id);
    const group: AssistantGroup = [record];
    if (open === undefined) groups.push(group);
    else open.push(record);
    if (open === undefined && id !== undefined) byId.set(id, group);
  }
  return groups;
}

/** Field by field, as the answer below: an object that is spread from another takes five times as long to make. */
function toUserMessage(record: UserRecord, results: Results): TranscriptMessage {
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
    toolResults: blocksOfType(blocks, "tool_result").flatMap(
      (block) => results.get(string(block["tool_use_id"]) ?? "") ?? [],
    ),
    images: imagesOf(blocks),
    blocks,
    model: undefined,
    stopReason: undefined,
    usage: undefined,
    endTimestamp: record.timestamp,
    isApiError: false,
  };
}

function toAnswer(group: AssistantGroup, results: Results): TranscriptMessage {
  const [first] = group;
  const last = group.at(-1) ?? first;
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
function uniqueBlocks(group: AssistantGroup): readonly { readonly block: ContentBlock; record: AssistantRecord }[] {
  const all = group.flatMap((record) => blocksOf(record.message.content).map((block) => ({ block, record })));
  if (group.every(({ requestId }) => requestId === group[0].requestId)) return all;
  const seen = new Set<string>();
  return all.filter(({ block }) => {
    const own = block["text"] ?? block["id"] ?? (block["thinking"] || block["signature"]);
    return typeof own !== "string" || seen.size !== seen.add(own).size;
  });
}

function collectToolResults(records: readonly UserRecord[]): Results {
  const results = new Map<string, ToolResult>();
  for (const record of records) {
    const blocks = blocksOfType(blocksOf(record.message.content), "tool_result");
    for (const block of blocks) {
      // Where one record answers several calls, its details are of none of them in particular.
      const result = toToolResult(block, record, blocks.length === 1 ? record.toolUseResult : undefined);
      results.set(result.toolUseId, result);
    }
  }
  return results;
}

function toToolUse(block: ContentBlock, timestamp: string | undefined, results: Results): ToolUse {
  const id = string(block["id"]) ?? "";
  const result = results.get(id);
  const durationMs = result && durationOf(timestamp, result);
  return { id, name: string(block["name"]) ?? "", input: block["input"], timestamp, result, durationMs };
}

function toToolResult(block: ContentBlock, record: UserRecord, details: unknown): ToolResult {
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

import type { RecordOf } from "../records/transcript-record.ts";
import { blocksOf, imagesOf, isObject, string, textOf, type ContentBlock } from "./content.ts";
import type { ToolResult, ToolUse } from "./transcript-message.ts";

/** The results in some user records, by the call that they answer. */
export function collectToolResults(records: readonly RecordOf<"user">[]): ReadonlyMap<string, ToolResult> {
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
export function toToolUse(
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

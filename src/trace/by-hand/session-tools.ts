import type { PermissionDenial } from "../../core/index.ts";
import { messagesOf, type ContentBlock, type SessionMessage, type SessionSegment } from "../session-entry.ts";
import type { ToolExecution } from "../tool-recorder.ts";
import { defined } from "../../core/index.ts";

/** What is known of a turn beside what it said. */
export interface SaidTurn {
  readonly startedAt: string;
  /** The calls that were refused, as its result has them. */
  readonly permissionDenials: readonly PermissionDenial[];
}

/** The tool calls of a turn by what it said, in the order in which they began. */
export function findTools(segment: SessionSegment, { startedAt, permissionDenials }: SaidTurn): ToolExecution[] {
  const messages = messagesOf(segment);
  const denied = new Set(permissionDenials.map(({ toolUseId }) => toolUseId));
  const results = new Map(blocksOf(messages, "tool_result").map((found) => [found.block["tool_use_id"], found]));
  const calls = blocksOf(messages, "tool_use").flatMap(({ block, message }): ToolExecution[] => {
    const { id: toolUseId, name: tool, input } = block;
    if (typeof toolUseId !== "string" || typeof tool !== "string") return [];
    const result = results.get(toolUseId);
    const began = message.timestamp ?? startedAt;
    const parentToolUseId = message.subagent === undefined ? undefined : callOf(segment, message.subagent);
    return [
      {
        toolUseId,
        tool,
        startedAt: began,
        durationMs: Math.max(0, Date.parse(result?.message.timestamp ?? began) - Date.parse(began)),
        isError: result?.block["is_error"] === true,
        isDenied: denied.has(toolUseId),
        isOpen: result === undefined,
        ...defined({ parentToolUseId }),
        input,
        output: result?.block["content"],
      },
    ];
  });
  const each = new Map(calls.map((call) => [call.toolUseId, call]));
  return [...each.values()].toSorted((left, right) => Date.parse(left.startedAt) - Date.parse(right.startedAt));
}

function blocksOf(
  messages: readonly SessionMessage[],
  type: string,
): readonly { readonly block: ContentBlock; readonly message: SessionMessage }[] {
  return messages.flatMap((message) =>
    message.content.filter((block) => block.type === type).map((block) => ({ block, message })),
  );
}

/** The call that a sub-agent works for. */
function callOf({ subagents }: SessionSegment, path: string): string | undefined {
  const about = subagents.get(path)?.find(({ type }) => type === "agent_metadata");
  return typeof about?.["toolUseId"] === "string" ? about["toolUseId"] : undefined;
}

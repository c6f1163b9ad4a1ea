import {
  defined,
  type SkeinEvent,
  type ToolEndEvent,
  type ToolStartEvent,
  type TurnResult,
} from "../../core/internal.ts";
import { messagesOf, type SessionBlock, type SessionMessage, type SessionSegment } from "../session/session-entry.ts";
import type { ToolRecord } from "../record/transition-file.ts";

/** A tool call with all that is known of it. */
export interface ToolExecution extends Omit<ToolRecord, "input" | "output"> {
  readonly input: unknown;
  /** What the model was shown; undefined where the call had no result. */
  readonly output: unknown;
}

/** Gathers the tool calls of a turn from its events. */
export function createToolRecorder() {
  const calls = new Map<string, ToolExecution>();
  return {
    /** Takes an event; gives the call that it is about, as it is known now, where it is about one. */
    read(event: SkeinEvent): ToolExecution | undefined {
      const call =
        event.type === "tool-start" ? opened(event) : event.type === "tool-end" ? ended(calls, event) : undefined;
      if (call) calls.set(call.toolUseId, call);
      return call;
    },
    executions: (): readonly ToolExecution[] => [...calls.values()],
  };
}

function opened({ toolUseId, tool, input, timestamp: startedAt, parentToolUseId }: ToolStartEvent): ToolExecution {
  const open = { durationMs: 0, isError: false, isDenied: false, isOpen: true, output: undefined };
  return { toolUseId, tool, startedAt, input, ...open, ...defined({ parentToolUseId }) };
}

function ended(calls: ReadonlyMap<string, ToolExecution>, event: ToolEndEvent): ToolExecution | undefined {
  const { toolUseId, output, isError, isDenied, durationMs } = event;
  const call = calls.get(toolUseId);
  return call && { ...call, output, isError, isDenied, durationMs, isOpen: false };
}

/** Tool calls for the file: without what the session holds already. */
export function toToolRecords(calls: readonly ToolExecution[], segment: SessionSegment): ToolRecord[] {
  const { inputs, outputs } = blocksOf(segment);
  return calls.map(({ input, output, ...call }) => ({
    ...call,
    ...(inputs.has(call.toolUseId) ? {} : { input }),
    ...(outputs.has(call.toolUseId) || output === undefined ? {} : { output }),
  }));
}

/** Tool calls whole again: with what the session holds of them. */
export function toToolExecutions(records: readonly ToolRecord[], segment: SessionSegment): readonly ToolExecution[] {
  const { inputs, outputs } = blocksOf(segment);
  return records.map((record) => ({
    ...record,
    input: inputs.has(record.toolUseId) ? inputs.get(record.toolUseId) : record.input,
    output: outputs.has(record.toolUseId) ? outputs.get(record.toolUseId) : record.output,
  }));
}

function blocksOf(segment: SessionSegment): Record<"inputs" | "outputs", ReadonlyMap<string, unknown>> {
  const inputs = new Map<string, unknown>();
  const outputs = new Map<string, unknown>();
  for (const block of messagesOf(segment).flatMap(({ content }) => content)) {
    if (block.type === "tool_use" && typeof block["id"] === "string") inputs.set(block["id"], block["input"]);
    if (block.type === "tool_result" && typeof block["tool_use_id"] === "string") {
      outputs.set(block["tool_use_id"], block["content"]);
    }
  }
  return { inputs, outputs };
}

/** The tool calls of a turn by what it said, in the order in which they began. */
export function findTools(
  segment: SessionSegment,
  { startedAt, permissionDenials }: Pick<TurnResult, "permissionDenials"> & { readonly startedAt: string },
): ToolExecution[] {
  const messages = messagesOf(segment);
  const denied = new Set(permissionDenials.map(({ toolUseId }) => toolUseId));
  const results = new Map(blocksOfType(messages, "tool_result").map((found) => [found.block["tool_use_id"], found]));
  const calls = blocksOfType(messages, "tool_use").flatMap(({ block, message }): ToolExecution[] => {
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

function blocksOfType(
  messages: readonly SessionMessage[],
  type: string,
): readonly { readonly block: SessionBlock; readonly message: SessionMessage }[] {
  return messages.flatMap((message) =>
    message.content.filter((block) => block.type === type).map((block) => ({ block, message })),
  );
}

function callOf({ subagents }: SessionSegment, path: string): string | undefined {
  const about = subagents.get(path)?.find(({ type }) => type === "agent_metadata");
  return typeof about?.["toolUseId"] === "string" ? about["toolUseId"] : undefined;
}

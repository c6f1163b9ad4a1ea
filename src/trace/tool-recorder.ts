import type { SkeinEvent, ToolEndEvent, ToolStartEvent } from "../core/index.ts";
import { messagesOf, type SessionSegment } from "./session-entry.ts";
import type { ToolRecord } from "./transition-file.ts";
import { defined } from "../core/index.ts";

/** A tool call with all that is known of it. */
export interface ToolExecution extends Omit<ToolRecord, "input" | "output"> {
  readonly input: unknown;
  /** What the model was shown; undefined where the call had no result. */
  readonly output: unknown;
}

/** Gathers the tool calls of a turn from its events. */
export interface ToolRecorder {
  /** Takes an event; gives the call that it is about, as it is known now, where it is about one. */
  read(event: SkeinEvent): ToolExecution | undefined;
  executions(): readonly ToolExecution[];
}

/** Starts to gather. */
export function createToolRecorder(): ToolRecorder {
  const calls = new Map<string, ToolExecution>();
  return {
    read(event) {
      const call =
        event.type === "tool-start" ? opened(event) : event.type === "tool-end" ? ended(calls, event) : undefined;
      if (call) calls.set(call.toolUseId, call);
      return call;
    },
    executions: () => [...calls.values()],
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

interface Blocks {
  readonly inputs: ReadonlyMap<string, unknown>;
  readonly outputs: ReadonlyMap<string, unknown>;
}

function blocksOf(segment: SessionSegment): Blocks {
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

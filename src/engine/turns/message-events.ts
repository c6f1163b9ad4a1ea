import type { SDKAssistantMessage, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { defined, isoTime, systemClock, type Clock, type SkeinEvent } from "../../core/internal.ts";
import type { OpenQuestions } from "../permissions/open-questions.ts";
import { errorFromAssistant } from "../failures/classify-error.ts";

/** Turns the SDK's messages into events. It remembers the tool calls that are open, for their names and durations. */
export interface MessageReader {
  /** What a message says; nothing for one that only repeats. `errorType` is the API's word for a failure, where it is not in it. The result message is the engine's to read. */
  read(message: SDKMessage, errorType?: string): readonly SkeinEvent[];
  openCalls(): number;
}

interface Reading {
  readonly clock: Clock;
  /** The time that has passed without a question being open: a call also waits for the answers about the calls before it. */
  readonly workedMs: () => number;
  /** The calls whose input is being written, by who writes it and where. */
  readonly written: Map<string, { readonly toolUseId: string; readonly tool: string }>;
  readonly calls: Map<string, { readonly tool: string; readonly startedAt: number }>;
  readonly denied: Set<string>;
  hasStarted: boolean;
}

type Block = { readonly type: string; readonly [field: string]: unknown };

export function createMessageReader(
  clock: Clock = systemClock,
  questions?: Pick<OpenQuestions, "waitedMs">,
): MessageReader {
  const reading: Reading = {
    clock,
    workedMs: () => clock.now() - (questions?.waitedMs() ?? 0),
    written: new Map(),
    calls: new Map(),
    denied: new Set(),
    hasStarted: false,
  };
  return {
    read(message, errorType) {
      const base = eventBase(message, clock);
      return readMessage(message, reading, errorType).map((event) => ({ ...base, ...event }));
    },
    openCalls: () => reading.calls.size,
  };
}

/** An event without the fields that every event of a message shares. */
type Draft = SkeinEvent extends infer Event ? (Event extends SkeinEvent ? Omit<Event, "timestamp"> : never) : never;

export function eventBase(message: SDKMessage, clock: Clock): Omit<SkeinEvent & { type: "unknown" }, "type"> {
  const parent = "parent_tool_use_id" in message ? message.parent_tool_use_id : null;
  return {
    timestamp: isoTime(clock.now()),
    ...("session_id" in message && message.session_id ? { sessionId: message.session_id } : {}),
    ...(parent ? { parentToolUseId: parent } : {}),
    raw: message,
  };
}

function readMessage(message: SDKMessage, reading: Reading, errorType: string | undefined): readonly Draft[] {
  switch (message.type) {
    case "system":
      return readSystem(message, reading);
    case "stream_event":
      return readStream(message, reading);
    case "assistant": {
      const failure = errorFromAssistant(message, errorType);
      const model = isSynthetic(message) ? {} : { model: message.message.model };
      const blocks = (message.message.content as unknown as readonly Block[]).flatMap((block) =>
        readAssistantBlock(block, reading).map((event) => (event.type === "unknown" ? event : { ...event, ...model })),
      );
      return failure ? [{ type: "error", error: failure.toJSON() }] : blocks;
    }
    case "user":
      return readUser(message, reading);
    case "result":
      return [];
    case "tool_progress":
    case "auth_status":
    case "tool_use_summary":
    case "rate_limit_event":
      return [{ type: "status", status: message.type }];
    case "prompt_suggestion":
      return [{ type: "status", status: message.type, detail: message.suggestion }];
    case "conversation_reset":
      return [{ type: "status", status: message.type, ...defined({ detail: message.trigger }) }];
    default:
      // That a prompt was taken up, and that it was done with: the SDK's types leave this kind out, and the turn says both.
      return (message as { readonly type: string }).type === "command_lifecycle" ? [] : [{ type: "unknown" }];
  }
}

function readSystem(message: SDKMessage & { type: "system" }, reading: Reading): readonly Draft[] {
  if (message.subtype === "init" && !reading.hasStarted) {
    reading.hasStarted = true;
    const { model, cwd, tools, permissionMode } = message;
    return [{ type: "turn-start", model, cwd, tools, permissionMode }];
  }
  if (message.subtype === "permission_denied") reading.denied.add(message.tool_use_id);
  const status = message.subtype === "status" ? (message.status ?? "idle") : message.subtype;
  return [{ type: "status", status, ...defined({ detail: detailOf(message) }) }];
}

function detailOf(message: Readonly<Record<string, unknown>>): string | undefined {
  if (message["subtype"] === "api_retry") {
    return `attempt ${String(message["attempt"])} of ${String(message["max_retries"])}: ${String(message["error"])}`;
  }
  const text = message["summary"] ?? message["description"] ?? message["message"];
  return typeof text === "string" ? text : undefined;
}

/** Whether the CLI wrote the message itself, in the model's place. */
export function isSynthetic({ message }: SDKAssistantMessage): boolean {
  return message.model === "<synthetic>";
}

/** The pieces of a response; what begins and ends its blocks is told by the whole ones. */
function readStream(message: SDKMessage & { type: "stream_event" }, { written }: Reading): readonly Draft[] {
  const { type, index, delta, content_block: block } = message.event as StreamEvent;
  const place = `${message.parent_tool_use_id ?? ""} ${String(index)}`;
  if (type === "content_block_start") {
    if (block?.type.endsWith("tool_use")) {
      written.set(place, { toolUseId: String(block["id"]), tool: String(block["name"]) });
    } else written.delete(place);
  }
  if (type !== "content_block_delta" || !delta) return [];
  const call = written.get(place);
  switch (delta.type) {
    case "text_delta":
      return [{ type: "text-delta", text: String(delta["text"]) }];
    case "thinking_delta":
      return [{ type: "thinking-delta", text: String(delta["thinking"]) }];
    case "signature_delta":
      return [{ type: "signature-delta", signature: String(delta["signature"]) }];
    case "input_json_delta":
      return call ? [{ type: "tool-input-delta", ...call, json: String(delta["partial_json"]) }] : [];
    default:
      return [];
  }
}

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly delta?: Block;
  readonly content_block?: Block;
}

function readAssistantBlock(block: Block, { calls, workedMs }: Reading): readonly Draft[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: String(block["text"]) }];
    case "thinking":
      return [{ type: "thinking", text: String(block["thinking"]) }];
    case "tool_use":
    case "server_tool_use": {
      const toolUseId = String(block["id"]);
      const tool = String(block["name"]);
      calls.set(toolUseId, { tool, startedAt: workedMs() });
      return [{ type: "tool-start", toolUseId, tool, input: block["input"] }];
    }
    default:
      return [{ type: "unknown" }];
  }
}

function readUser(message: SDKMessage & { type: "user" }, reading: Reading): readonly Draft[] {
  const { content } = message.message;
  const results = typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_result");
  if (results.length === 0) return [{ type: "status", status: "user-message" }];
  for (const id of deniedIn(message)) reading.denied.add(id);
  return results.map((result) => readToolResult(result as unknown as Block, reading));
}

/** The calls that a person or a hook denied. Of these the CLI tells only beside the result, in a field that the SDK has no type for. */
function deniedIn(message: object): readonly string[] {
  const parsed = RESULT_META.safeParse("tool_result_meta" in message ? message.tool_result_meta : []);
  return (parsed.data ?? []).flatMap(({ id, permission_decision: decision }) =>
    decision?.decision === "reject" ? [id] : [],
  );
}

const RESULT_META = z.array(
  z.object({ id: z.string(), permission_decision: z.object({ decision: z.string() }).optional() }),
);

function readToolResult(block: Block, { calls, denied, workedMs }: Reading): Draft {
  const toolUseId = String(block["tool_use_id"]);
  const call = calls.get(toolUseId);
  calls.delete(toolUseId);
  return {
    type: "tool-end",
    toolUseId,
    tool: call?.tool ?? "unknown",
    output: block["content"],
    isError: block["is_error"] === true,
    isDenied: denied.has(toolUseId),
    durationMs: call ? Math.max(0, workedMs() - call.startedAt) : 0,
  };
}

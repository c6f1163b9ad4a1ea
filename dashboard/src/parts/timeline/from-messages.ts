import type { StateDetail, StateMessages } from "../../../../src/monitor/api-types.ts";
import type { ToolCall } from "../tool-call.tsx";
import { fieldsOf, textOf } from "../tool-words.ts";
import type { Entry, RawEntry } from "./entries.ts";
import { nest, type Placed } from "./nesting.ts";

type Message = StateMessages["messages"][number];
type Tools = NonNullable<StateDetail["transition"]>["tools"];

/** The timeline of a recorded turn: what was said, with the calls as the record has them. */
export function fromMessages(messages: readonly Message[], tools: Tools): readonly Entry[] {
  const calls = new Map(tools.map((call) => [call.tool_use_id, call]));
  const results = resultsOf(messages);
  const callers = callersOf(messages, calls);
  return nest(
    messages.flatMap((message, place) => {
      const parent = message.subagent === null ? undefined : callers.get(message.subagent);
      return read(message, place, { calls, results }).map((entry) => ({ ...entry, parent }));
    }),
  );
}

/** Every message as it is. */
export function rawOfMessages(messages: readonly Message[]): readonly RawEntry[] {
  return messages.map((message, place) => ({
    key: String(place),
    title: `${place + 1}  ${message.role}${message.subagent === null ? "" : " (sub-agent)"}`,
    at: message.timestamp ?? undefined,
    value: message,
  }));
}

interface Known {
  readonly calls: ReadonlyMap<string, Tools[number]>;
  readonly results: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

function read({ role, timestamp, model, content }: Message, place: number, known: Known): readonly Placed[] {
  const about = (part: number): { key: string; at: string | undefined } => ({
    key: `${place}.${part}`,
    at: timestamp ?? undefined,
  });
  if (role === "user") {
    const text = content
      .map((block) => (block.type === "text" ? textOf(block, "text") : ""))
      .join("\n\n")
      .trim();
    const isPicture = content.some(({ type }) => type === "image");
    if (text === "" && !isPicture) return [];
    return [{ ...about(0), kind: "prompt", text, blocks: content }];
  }
  return content.flatMap((block, part): readonly Placed[] => {
    if (block.type === "text") {
      return [
        { ...about(part), kind: "text", text: textOf(block, "text"), model: model ?? undefined, isWriting: false },
      ];
    }
    if (block.type === "thinking") {
      return [{ ...about(part), kind: "thinking", text: textOf(block, "thinking"), isWriting: false }];
    }
    if (block.type !== "tool_use") return [];
    const id = textOf(block, "id");
    return [{ ...about(part), kind: "tool", id, call: callOf(block, id, known), inside: [] }];
  });
}

function callOf(block: Readonly<Record<string, unknown>>, id: string, { calls, results }: Known): ToolCall {
  const recorded = calls.get(id);
  const result = results.get(id);
  const isOpen = recorded?.is_open ?? result === undefined;
  return {
    tool: recorded?.tool ?? textOf(block, "name"),
    input: recorded?.input ?? block["input"],
    output: recorded?.output ?? result?.["content"] ?? null,
    isError: recorded?.is_error ?? result?.["is_error"] === true,
    isDenied: recorded?.is_denied ?? false,
    isOpen,
    durationMs: isOpen ? undefined : recorded?.duration_ms,
  };
}

function resultsOf(messages: readonly Message[]): Known["results"] {
  const blocks = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
  return new Map(blocks.map((block) => [textOf(block, "tool_use_id"), fieldsOf(block)]));
}

/** Which call each sub-agent works for: its own calls say it; one that made none is of the first that no other works for. */
function callersOf(messages: readonly Message[], calls: Known["calls"]): ReadonlyMap<string, string> {
  const callers = new Map<string, string>();
  const subagents = new Set(messages.map(({ subagent }) => subagent).filter((name) => name !== null));
  for (const { subagent, content } of messages) {
    if (subagent === null) continue;
    for (const block of content) {
      const parent = block.type === "tool_use" ? calls.get(textOf(block, "id"))?.parent_tool_use_id : undefined;
      if (parent) callers.set(subagent, parent);
    }
  }
  const taken = new Set(callers.values());
  const free = [...calls.values()]
    .filter(({ tool, tool_use_id: id }) => (tool === "Task" || tool === "Agent") && !taken.has(id))
    .map(({ tool_use_id: id }) => id);
  for (const subagent of subagents) {
    if (callers.has(subagent)) continue;
    const id = free.shift();
    if (id !== undefined) callers.set(subagent, id);
  }
  return callers;
}

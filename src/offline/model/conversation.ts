import { blocksOf, type MessagesRequest, type RequestBlock, textOf } from "../api/messages-request.ts";
import type { ToolResult } from "../scenarios/scenario.ts";

/** Texts that the CLI puts into user messages by itself. They are never the prompt. */
const MACHINE_TEXTS = [
  /^\s*<system-reminder>/,
  /^\s*<local-command-/,
  /^\s*<command-(name|message|args)>/,
  /^\s*<task-notification>/,
  /^\s*\[Request interrupted by user/,
  /^Stop hook feedback:/,
  /^Output token limit hit/,
  /^\s*$/,
];

/** Where a request stands: everything that a script needs, read from the request alone. */
export type Conversation = ReturnType<typeof readConversation>;

/** Finds the place in the conversation. No state is kept between requests, so resume, fork and retry just work. */
export function readConversation(request: MessagesRequest) {
  const { messages } = request;
  const promptIndex = messages.findLastIndex(({ role, content }) => role === "user" && promptIn(content) !== undefined);
  const since = messages.slice(promptIndex + 1);
  const answers = since.filter(({ role }) => role === "assistant");
  const calls = blocksOf(answers.at(-1)?.content).filter(({ type }) => type === "tool_use");
  const system = blocksOf(request.system).map(textOf).join("\n");
  return {
    prompt: promptIn(messages[promptIndex]?.content) ?? "",
    /** Responses that the model has given since the prompt. */
    position: answers.length,
    results: since.flatMap(({ role, content }) => (role === "user" ? toolResultsIn(content) : [])),
    /** Of the model's latest tool calls since the prompt. */
    callIds: calls.map(({ id }) => String(id)),
    cwd: findWorkingDirectory([system, messages]) ?? "",
    system,
    isSubagent: system.includes("cc_is_subagent=true"),
    sessionId: /"session_id":"([^"]+)"/.exec(request.metadata?.user_id ?? "")?.[1] ?? "",
  };
}

/** The text of a tool result, whatever shape it came in, without the reminders that the CLI adds to it. */
function resultText(content: unknown): string {
  const blocks = typeof content === "string" || Array.isArray(content) ? blocksOf(content as string) : [];
  const text = blocks.map((block) => textOf(block) ?? `[${block.type}]`).join("\n");
  return text.replaceAll(/\s*<system-reminder>[\s\S]*?<\/system-reminder>\s*/g, "");
}

function promptIn(content: string | readonly RequestBlock[] | undefined): string | undefined {
  const texts = blocksOf(content).flatMap((block) => textOf(block) ?? []);
  return texts.findLast((text) => !MACHINE_TEXTS.some((pattern) => pattern.test(text)))?.trim();
}

function toolResultsIn(message: string | readonly RequestBlock[]): readonly ToolResult[] {
  const results = blocksOf(message).filter(({ type }) => type === "tool_result");
  return results.map(({ tool_use_id: id, content, is_error: isError }) => {
    return { toolUseId: String(id), text: resultText(content), isError: isError === true };
  });
}

/** The working directory that the CLI told the model; undefined where a request tells none. A resumed one may be told anew. */
export function findWorkingDirectory(body: unknown): string | undefined {
  if (typeof body === "string") return lastTold(body);
  if (typeof body !== "object" || body === null) return undefined;
  for (const part of Object.values(body).toReversed()) {
    const found = findWorkingDirectory(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of one that has changed the CLI also says what it was. */
function lastTold(text: string): string | undefined {
  const told = [...text.matchAll(/working directory: (.+)$/gim)].at(-1)?.[1];
  return told?.replace(/ \(was \/.*\)$/u, "").trim();
}

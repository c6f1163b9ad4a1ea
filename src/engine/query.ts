import { SkeinError, type SkeinEvent, type TurnResult, type TurnStream } from "../core/internal.ts";
import { ClaudeEngine } from "./claude-engine.ts";
import type { ClaudeOptions } from "./options/claude-options.ts";
import type { PromptInput, PromptSource } from "./prompts/claude-prompt.ts";
import { ClaudeSDKClient } from "./claude-sdk-client.ts";

/** What a conversation of several prompts came to. */
export interface ConversationResult {
  readonly sessionId: string;
  /** One for each prompt that was sent, in order; it ends with the first that failed. */
  readonly results: readonly TurnResult[];
  readonly costUsd: number;
  readonly isError: boolean;
}

/** Runs one turn and gives its result. */
export async function query(prompt: PromptInput, options?: ClaudeOptions): Promise<TurnResult> {
  return await new ClaudeEngine(options).execute(prompt);
}

/** Runs one turn and gives its events, then its result. */
export function queryStream(prompt: PromptInput, options?: ClaudeOptions): TurnStream {
  return new ClaudeEngine(options).stream(prompt);
}

/** Runs prompts one after the other in one conversation and one process, and stops at the first that fails. */
export async function* conversation(
  prompts: Iterable<PromptSource> | AsyncIterable<PromptSource>,
  options?: ClaudeOptions,
): AsyncGenerator<SkeinEvent, ConversationResult, void> {
  checkList(prompts);
  await using client = new ClaudeSDKClient(options);
  const results: TurnResult[] = [];
  for await (const prompt of prompts) {
    await client.query(prompt);
    const result = yield* client.receiveResponse();
    results.push(result);
    if (result.isError) break;
  }
  return {
    sessionId: client.sessionId ?? "",
    results,
    costUsd: client.statistics().costUsd,
    isError: results.at(-1)?.isError ?? false,
  };
}

/** A text is a list of letters too, and nobody means to send each of them. */
function checkList(prompts: unknown): void {
  const isList = typeof prompts === "object" && prompts !== null;
  if (isList && (Symbol.iterator in prompts || Symbol.asyncIterator in prompts)) return;
  const hint = "Give a list of them, or an async iterable.";
  throw new SkeinError("The prompts are not a list", { kind: "usage", target: "prompts", hint });
}

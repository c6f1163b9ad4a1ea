import type { SkeinEvent, TurnResult } from "../core/index.ts";
import { ClaudeEngine } from "./claude-engine.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import { claudePrompt, type ClaudePrompt } from "./claude-prompt.ts";
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
export async function query(prompt: string | ClaudePrompt, options?: ClaudeOptions): Promise<TurnResult> {
  return await new ClaudeEngine(options).execute(claudePrompt(prompt));
}

/** Runs one turn and gives its events, then its result. */
export function queryStream(
  prompt: string | ClaudePrompt,
  options?: ClaudeOptions,
): AsyncGenerator<SkeinEvent, TurnResult, void> {
  return new ClaudeEngine(options).stream(claudePrompt(prompt));
}

/** Runs prompts one after the other in one conversation and one process, and stops at the first that fails. */
export async function* conversation(
  prompts: readonly (string | ClaudePrompt)[],
  options?: ClaudeOptions,
): AsyncGenerator<SkeinEvent, ConversationResult, void> {
  await using client = new ClaudeSDKClient(options);
  const results: TurnResult[] = [];
  for (const prompt of prompts) {
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

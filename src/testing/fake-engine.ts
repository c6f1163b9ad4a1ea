import {
  isoTime,
  NO_USAGE,
  SkeinError,
  systemClock,
  type Clock,
  type TurnResult,
  type TurnStream,
} from "../core/internal.ts";
import {
  createEngine,
  readPrompt,
  type ClaudeOptions,
  type ClaudePrompt,
  type Engine,
  type PromptInput,
} from "../engine/internal.ts";

/** Makes an engine that starts nothing: it answers each prompt by the given function, with a text, or an error that ends the turn. */
export function createFakeEngine(
  answer: (prompt: ClaudePrompt) => string | SkeinError,
  clock: Clock = systemClock,
): Engine {
  let turns = 0;

  async function* stream(input: PromptInput, options: ClaudeOptions = {}): TurnStream {
    const prompt = await readPrompt(input, options.signal);
    if (prompt.text.trim() === "") throw new SkeinError("The prompt is empty", { kind: "usage", target: "prompt" });
    turns += 1;
    const sessionId = options.resume && !options.forkSession ? options.resume : `fake-session-${turns}`;
    const model = options.model ?? "fake";
    const base = { timestamp: isoTime(clock.now()), sessionId };
    yield {
      ...base,
      type: "turn-start",
      model,
      cwd: options.cwd ?? process.cwd(),
      tools: [],
      permissionMode: options.permissionMode ?? "default",
    };
    const given = options.signal?.aborted
      ? new SkeinError("The turn was cancelled", { kind: "cancelled" })
      : answer(prompt);
    const isError = typeof given !== "string";
    if (isError) yield { ...base, type: "error", error: given.toJSON() };
    else yield { ...base, type: "text", text: given };
    const result: TurnResult = {
      text: isError ? "" : given,
      sessionId,
      isError,
      ...(isError ? { error: given.toJSON() } : {}),
      usage: NO_USAGE,
      usageByModel: {},
      costUsd: 0,
      durationMs: 0,
      responses: 1,
      model,
      permissionDenials: [],
    };
    yield { ...base, type: "turn-end", result };
    return result;
  }

  return createEngine(stream);
}

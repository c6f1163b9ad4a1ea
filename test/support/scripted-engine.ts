import { type Clock, type SkeinError, type SkeinEvent, type TurnResult } from "../../src/core/index.ts";
import { isoTime } from "../../src/core/internal.ts";
import {
  createEngine,
  createResilientEngine,
  type ClaudeOptions,
  type ClaudePrompt,
  type Engine,
  type PromptInput,
  type ResiliencePolicy,
  type ResilientEngine,
} from "../../src/engine/index.ts";
import { readPrompt } from "../../src/engine/internal.ts";
import { createFakeClock } from "../../src/testing/index.ts";

/** When the clock of a scripted engine starts. */
export const START = Date.UTC(2026, 0, 1);

/** What one attempt does: it may call a tool, and then ends well, badly, or not at all. */
export type Script = { readonly calls?: string; readonly session?: string } & (
  | { readonly says: string }
  | { readonly ends: SkeinError }
  | { readonly throws: SkeinError }
);

/** What an attempt was given. */
export interface Call {
  readonly prompt: ClaudePrompt;
  readonly options: ClaudeOptions;
}

/** A resilient engine over a scripted one, with a clock on which every wait is over at once. */
export function startScripted(
  scripts: readonly Script[],
  policy: ResiliencePolicy = {},
): { readonly engine: ResilientEngine; readonly calls: Call[]; readonly waits: number[]; readonly clock: Clock } {
  const fake = createFakeClock(START);
  const waits: number[] = [];
  const clock: Clock = {
    now: () => fake.now(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      fake.advance(ms);
    },
  };
  const calls: Call[] = [];
  const engine = createResilientEngine(createScriptedEngine(scripts, calls), { clock, random: () => 0.5, ...policy });
  return { engine, calls, waits, clock };
}

function createScriptedEngine(scripts: readonly Script[], calls: Call[]): Engine {
  async function* stream(
    prompt: PromptInput,
    options: ClaudeOptions = {},
  ): AsyncGenerator<SkeinEvent, TurnResult, void> {
    const script = scripts[calls.length];
    calls.push({ prompt: await readPrompt(prompt), options });
    if (!script) throw new Error("The script has no further attempt");
    if ("throws" in script) throw script.throws;
    const isNew = options.resume === undefined || options.forkSession === true;
    const sessionId = script.session ?? (isNew ? `session-${calls.length}` : options.resume);
    const base = { timestamp: isoTime(START), ...(sessionId ? { sessionId } : {}) };
    const model = options.model ?? "fake";
    yield { ...base, type: "turn-start", model, cwd: "/", tools: [], permissionMode: "default" };
    if (script.calls) {
      const call = { toolUseId: "1", tool: script.calls };
      yield { ...base, ...call, type: "tool-start", input: {} };
      yield { ...base, ...call, type: "tool-end", output: "", isError: false, isDenied: false, durationMs: 1 };
    }
    const error = "ends" in script ? script.ends.toJSON() : undefined;
    const text = "says" in script ? script.says : "";
    yield error ? { ...base, type: "error", error } : { ...base, type: "text", text };
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const result: TurnResult = {
      text,
      sessionId,
      isError: error !== undefined,
      ...(error ? { error } : {}),
      usage,
      usageByModel: { [model]: { ...usage, costUsd: 0.1 } },
      costUsd: 0.1,
      durationMs: 10,
      responses: 1,
      model,
      permissionDenials: [],
    };
    yield { ...base, type: "turn-end", result };
    return result;
  }
  return createEngine(stream);
}

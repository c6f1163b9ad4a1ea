import {
  query,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKResultMessage,
} from "@anthropic-ai/claude-agent-sdk";
import {
  ClaudeTimeoutError,
  drain,
  isoTime,
  NO_USAGE,
  ProcessError,
  SkeinError,
  systemClock,
  type Clock,
  type SkeinEvent,
  type TurnResult,
} from "../core/index.ts";
import { checkTurn } from "./check-options.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import type { ClaudePrompt } from "./claude-prompt.ts";
import { requireCredentials } from "./credentials.ts";
import type { Engine } from "./engine.ts";
import { buildEnvironment } from "./environment.ts";
import { createMessageReader } from "./message-events.ts";
import { toSdkOptions } from "./sdk-options.ts";
import { spawnCli, type CliProcess } from "./spawn-cli.ts";
import { toTurnResult } from "./turn-result.ts";
import { toUserMessage } from "./user-message.ts";

/** Runs turns with the real Claude Code CLI, through the Claude Agent SDK. */
export class ClaudeEngine implements Engine {
  readonly #defaults: ClaudeOptions;
  readonly #clock: Clock;

  /** `defaults` hold for every turn; a turn's own options come before them. */
  constructor(defaults: ClaudeOptions = {}, clock: Clock = systemClock) {
    this.#defaults = defaults;
    this.#clock = clock;
  }

  async execute(prompt: ClaudePrompt, options: ClaudeOptions = {}): Promise<TurnResult> {
    return await drain(this.stream(prompt, options));
  }

  async *stream(prompt: ClaudePrompt, options: ClaudeOptions = {}): AsyncGenerator<SkeinEvent, TurnResult, void> {
    const merged = { ...this.#defaults, ...options, env: { ...this.#defaults.env, ...options.env } };
    const environment = buildEnvironment(process.env, merged.env);
    await checkTurn(prompt, merged, environment);
    await requireCredentials(environment);
    merged.signal?.throwIfAborted();
    const turn = new Turn(this.#clock);
    const limits = createLimits(merged);
    try {
      for await (const message of startQuery(prompt, merged, environment, limits.controller, turn)) {
        yield* turn.read(message);
        if (turn.isOver()) yield turn.end();
      }
    } catch (error) {
      turn.fail(limits.reason() ?? error);
    } finally {
      limits.release();
      await turn.process?.end();
    }
    if (!turn.hasEnded()) yield turn.end();
    return turn.result();
  }
}

/** What is known of a turn while it runs, and what it comes to. */
class Turn {
  /** The CLI, once it is started. */
  process: CliProcess | undefined;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #reader;
  readonly #results: SDKResultMessage[] = [];
  #model = "";
  #sessionId = "";
  #assistantError: SDKAssistantMessage["error"];
  #failure: SkeinError | undefined;
  #hasBackgroundTasks = false;
  #result: TurnResult | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#reader = createMessageReader(clock);
  }

  read(message: SDKMessage): readonly SkeinEvent[] {
    if ("session_id" in message && message.session_id) this.#sessionId = message.session_id;
    if (message.type === "result") this.#results.push(message);
    if (message.type === "assistant" && !message.parent_tool_use_id) this.#assistantError = message.error;
    if (message.type === "system" && message.subtype === "init") this.#model = message.model;
    if (message.type === "system" && message.subtype === "background_tasks_changed") this.#hasBackgroundTasks = true;
    return this.#reader.read(message);
  }

  /** Whether the result is in. Where tasks went to the background, more results follow, up to the end of the stream. */
  isOver(): boolean {
    return this.#results.length > 0 && !this.#hasBackgroundTasks && !this.hasEnded();
  }

  hasEnded(): boolean {
    return this.#result !== undefined;
  }

  /** The stream broke. After a result that is only how the process ended. */
  fail(thrown: unknown): void {
    if (this.#results.length > 0 && !(thrown instanceof SkeinError)) return;
    this.#failure = this.#toError(thrown);
  }

  end(): SkeinEvent {
    const result = this.result();
    return {
      type: "turn-end",
      timestamp: isoTime(this.#clock.now()),
      ...(result.sessionId ? { sessionId: result.sessionId } : {}),
      ...(this.#results.length > 0 ? { raw: this.#results.at(-1) } : {}),
      result,
    };
  }

  result(): TurnResult {
    this.#result ??= this.#toResult();
    return this.#result;
  }

  #toResult(): TurnResult {
    const [first, ...rest] = this.#results;
    const read = first && toTurnResult([first, ...rest], { model: this.#model, assistantError: this.#assistantError });
    if (read && !this.#failure) return read;
    const failure = this.#failure ?? this.#toError(undefined);
    return {
      ...(read ?? {
        text: "",
        sessionId: this.#sessionId,
        usage: NO_USAGE,
        usageByModel: {},
        costUsd: 0,
        turns: 0,
        model: this.#model,
        permissionDenials: [],
      }),
      durationMs: this.#clock.now() - this.#startedAt,
      isError: true,
      error: failure.toJSON(),
    };
  }

  #toError(thrown: unknown): SkeinError {
    if (thrown instanceof SkeinError) return thrown;
    const child = this.process?.child;
    return new ProcessError(thrown instanceof Error ? thrown.message : "The CLI ended without a result", {
      exitCode: child?.exitCode ?? undefined,
      signal: child?.signalCode ?? undefined,
      stderrTail: this.process?.stderrTail() || undefined,
      command: child?.spawnfile,
      cause: thrown,
    });
  }
}

function startQuery(
  prompt: ClaudePrompt,
  options: ClaudeOptions,
  environment: Record<string, string>,
  abortController: AbortController,
  turn: Turn,
): AsyncIterable<SDKMessage> {
  async function* input(): AsyncGenerator<ReturnType<typeof toUserMessage>> {
    yield toUserMessage(prompt);
  }
  return query({
    prompt: input(),
    options: {
      ...toSdkOptions(options, environment),
      abortController,
      spawnClaudeCodeProcess: (spawnOptions) => {
        turn.process = spawnCli(spawnOptions);
        return turn.process.child;
      },
    },
  });
}

/** The caller's signal and the time limit as the one controller that the SDK takes. */
function createLimits({ signal, timeoutMs }: ClaudeOptions): {
  readonly controller: AbortController;
  /** Why the turn was ended from here; undefined if it was not. */
  reason(): SkeinError | undefined;
  release(): void;
} {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(new SkeinError("The turn was cancelled", { kind: "cancelled" }));
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          const hint = "Allow more time, or ask for less at once; the session can be resumed.";
          controller.abort(new ClaudeTimeoutError(`The turn took longer than ${timeoutMs} ms`, { timeoutMs, hint }));
        }, timeoutMs);
  return {
    controller,
    reason: () => (controller.signal.aborted ? (controller.signal.reason as SkeinError) : undefined),
    release() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

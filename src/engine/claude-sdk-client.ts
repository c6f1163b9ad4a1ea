import type {
  McpServerStatus,
  PermissionMode as SdkPermissionMode,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SlashCommand,
} from "@anthropic-ai/claude-agent-sdk";
import { drain, SkeinError, systemClock, type Clock, type SkeinEvent, type TurnResult } from "../core/index.ts";
import { checkPrompt } from "./check-prompt.ts";
import type { ClaudeOptions, PermissionMode } from "./claude-options.ts";
import { claudePrompt, type ClaudePrompt } from "./claude-prompt.ts";
import type { CliSession } from "./cli-session.ts";
import type { EngineSession, TurnOptions } from "./engine.ts";
import { abandonTurn, runTurn, type TurnReading } from "./run-turn.ts";
import { startSession, type ClaudeEngineParts } from "./start-session.ts";

/** What a client has done so far. */
export interface ClientStatistics {
  readonly turns: number;
  readonly errors: number;
  readonly totalDurationMs: number;
  readonly averageDurationMs: number;
  readonly costUsd: number;
}

/** A conversation in one process: many turns, prompts while a turn runs, and control over it. */
export class ClaudeSDKClient implements EngineSession {
  readonly #options: ClaudeOptions;
  readonly #parts: ClaudeEngineParts;
  readonly #clock: Clock;
  #session: CliSession | undefined;
  #sessionId: string | undefined;
  #isReading = false;
  #statistics = { turns: 0, errors: 0, totalDurationMs: 0, costUsd: 0 };

  constructor(options: ClaudeOptions = {}, parts: ClaudeEngineParts = {}) {
    this.#options = options;
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /** The Claude Code session, once it is known. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Starts the process; where the last one was lost, the conversation goes on in the new one. */
  async connect(): Promise<void> {
    if (this.#session && !this.#session.hasEnded) return;
    this.#session = await startSession(this.#resumed(), this.#parts);
  }

  /** Sends a prompt and does not wait for its answer; more can be sent while a turn runs. */
  async query(prompt: string | ClaudePrompt): Promise<void> {
    const whole = claudePrompt(prompt);
    checkPrompt(whole);
    await this.connect();
    await this.#session?.send(whole);
  }

  /** The events of one turn, up to its result. A reader who leaves before stops the turn. */
  async *receiveResponse(): AsyncGenerator<SkeinEvent, TurnResult, void> {
    return yield* this.#read(this.#options, { clock: this.#clock, waitsForTasks: false });
  }

  /** Sends a prompt and gives its events, with those of the tasks that it sends to the background. */
  async *stream(prompt: ClaudePrompt, limits: TurnOptions = {}): AsyncGenerator<SkeinEvent, TurnResult, void> {
    if (limits.signal?.aborted) throw new SkeinError("The turn was cancelled", { kind: "cancelled" });
    await this.query(prompt);
    return yield* this.#read({ ...this.#options, ...limits }, { clock: this.#clock, waitsForTasks: true });
  }

  async *#read(options: ClaudeOptions, reading: TurnReading): AsyncGenerator<SkeinEvent, TurnResult, void> {
    const session = this.#claimReader();
    let result: TurnResult | undefined;
    try {
      for await (const event of runTurn(session, options, reading)) {
        if (event.sessionId) this.#sessionId = event.sessionId;
        if (event.type === "turn-end") this.#count((result = event.result));
        yield event;
      }
      if (!result) throw new SkeinError("The turn ended without a result", { kind: "runtime" });
      return result;
    } finally {
      if (!result) await abandonTurn(session, reading, options.graceMs);
      this.#isReading = false;
    }
  }

  /** The events of all turns, until the client is disconnected. */
  async *receiveMessages(): AsyncGenerator<SkeinEvent, void, void> {
    while (this.#session && !this.#session.hasEnded) yield* this.receiveResponse();
  }

  /** Sends a prompt and gives its result: `query` and `receiveResponse` in one. */
  async ask(prompt: string | ClaudePrompt): Promise<TurnResult> {
    await this.query(prompt);
    return await drain(this.receiveResponse());
  }

  /** Stops the turn that runs; its result says so, and the conversation can go on. */
  async interrupt(): Promise<void> {
    await this.#connected().query.interrupt();
  }

  /** Another model, from the next response on. */
  async setModel(model: string): Promise<void> {
    await this.#connected().query.setModel(model);
  }

  /** Another permission mode, from the next tool call on. */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.#connected().query.setPermissionMode(mode satisfies SdkPermissionMode);
  }

  /** What fills the context window, by part. */
  async contextUsage(): Promise<SDKControlGetContextUsageResponse> {
    return await this.#connected().query.getContextUsage();
  }

  /** The slash commands and skills that can be used here. */
  async supportedCommands(): Promise<readonly SlashCommand[]> {
    return await this.#connected().query.supportedCommands();
  }

  /** Which tool servers are connected. */
  async mcpStatus(): Promise<readonly McpServerStatus[]> {
    return await this.#connected().query.mcpServerStatus();
  }

  /** Takes back what Write and Edit did since a user message. It leaves what Bash did: a snapshot covers that. */
  async rewindFiles(userMessageId: string): Promise<RewindFilesResult> {
    return await this.#connected().query.rewindFiles(userMessageId);
  }

  /** Turns, errors, time and money so far. */
  statistics(): ClientStatistics {
    const { turns, totalDurationMs } = this.#statistics;
    return { ...this.#statistics, averageDurationMs: turns === 0 ? 0 : totalDurationMs / turns };
  }

  /** Ends the process, and resolves when all that it started is gone. The session can be resumed by its id. */
  async disconnect(): Promise<void> {
    await this.#session?.close(this.#options.graceMs);
    this.#session = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  /** The options for a new process: after the first, it takes up the session where the last one left it. */
  #resumed(): ClaudeOptions {
    if (this.#sessionId === undefined) return this.#options;
    const { sessionId: _, ...options } = this.#options;
    return { ...options, resume: this.#sessionId, forkSession: false };
  }

  #connected(): CliSession {
    if (this.#session && !this.#session.hasEnded) return this.#session;
    throw new SkeinError("The client is not connected", { kind: "usage", hint: "Call connect() or query() first." });
  }

  #claimReader(): CliSession {
    if (this.#isReading) {
      const hint = "Read one response to its end before the next.";
      throw new SkeinError("Somebody is reading the events of this client already", { kind: "usage", hint });
    }
    const session = this.#connected();
    this.#isReading = true;
    return session;
  }

  #count(result: TurnResult): void {
    const { turns, errors, totalDurationMs, costUsd } = this.#statistics;
    this.#statistics = {
      turns: turns + 1,
      errors: errors + (result.isError ? 1 : 0),
      totalDurationMs: totalDurationMs + result.durationMs,
      costUsd: costUsd + result.costUsd,
    };
  }
}

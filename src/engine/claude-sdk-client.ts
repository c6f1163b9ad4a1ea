import { randomUUID } from "node:crypto";
import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  SkeinError,
  drain,
  failedResult,
  systemClock,
  type Clock,
  type SkeinEvent,
  type TurnResult,
  type TurnStream,
} from "../core/internal.ts";
import { ClientControls } from "./client-controls.ts";
import { readTask, type ClaudePrompt, type PromptInput } from "./prompts/claude-prompt.ts";
import type { ClaudeOptions, PermissionMode } from "./options/claude-options.ts";
import type { CliSession } from "./start-up/cli-session.ts";
import type { EngineSession } from "./engine.ts";
import { createMessageReader } from "./turns/message-events.ts";
import { toProcessError } from "./failures/classify-error.ts";
import { abandonTurn, runTurn, type TurnReading } from "./turns/run-turn.ts";
import type { EngineDependencies } from "./start-up/start-session.ts";
import { KeptProcess, askCli, type CliRequest } from "./turns/kept-process.ts";
import { AwaitedPrompts, PendingPrompts } from "./turns/prompts-in-flight.ts";
import { findMoneyLimit, moneySpent, watchBudget, type MoneyLimit } from "./turns/turn-budget.ts";
import { turnEnd } from "./turns/turn-result.ts";
import { parseTurnOptions, type TurnOptions } from "./options/parse-options.ts";

export interface ClientStatistics {
  readonly turns: number;
  readonly errors: number;
  readonly totalDurationMs: number;
  readonly averageDurationMs: number;
  readonly costUsd: number;
}

/** A conversation in one process: many turns, prompts while a turn runs, and control over it. */
export class ClaudeSDKClient extends ClientControls implements EngineSession {
  readonly #process: KeptProcess;
  readonly #clock: Clock;
  readonly #prompts = new PendingPrompts();
  /** What holds for every turn; another model or permission mode that was set stays. */
  #options: ClaudeOptions;
  #isReading = false;
  /** The turn of `stream` that runs now. */
  #turn: { readonly session: CliSession; readonly prompts: AwaitedPrompts } | undefined;
  #statistics = { turns: 0, errors: 0, totalDurationMs: 0, costUsd: 0 };

  constructor(options: ClaudeOptions = {}, dependencies: EngineDependencies = {}) {
    super();
    this.#options = options;
    this.#process = new KeptProcess(dependencies);
    this.#clock = dependencies.clock ?? systemClock;
  }

  get sessionId(): string | undefined {
    return this.#process.sessionId;
  }

  /** Starts the process; where the last one was lost, the conversation goes on in the new one. */
  async connect(): Promise<void> {
    if (!this.#isBusy) await this.#process.ready(this.#options);
  }

  /** Sends a prompt and does not wait for its answer. One that comes while a turn runs may be taken into it: its response says `isFolded`. */
  async query(prompt: PromptInput): Promise<void> {
    const whole = await readTask(prompt, this.#options.signal);
    const limit = this.#limitOf(this.#options);
    if (limit?.usd === 0) return this.#prompts.add({ id: randomUUID(), answer: this.#overspent(limit) });
    const session = this.#isBusy ? this.#connected() : await this.#process.ready(this.#options);
    await this.#send(session, whole, limit);
  }

  /** The events of one turn, up to its result: the answer to the oldest prompt that has none. A reader who leaves before stops the turn. */
  async *receiveResponse(): TurnStream {
    using _ = this.#claimReader();
    return yield* this.#respond();
  }

  /** Sends a prompt and gives its events, with those of the tasks that it sends to the background. */
  async *stream(input: PromptInput, turn: TurnOptions = {}): TurnStream {
    parseTurnOptions(turn);
    if (turn.signal?.aborted) throw new SkeinError("The turn was cancelled", { kind: "cancelled" });
    const prompt = await readTask(input, turn.signal ?? this.#options.signal);
    using _ = this.#claimReader();
    const options = { ...this.#options, ...turn };
    const limit = this.#limitOf(options);
    if (limit?.usd === 0) return yield* this.#tell(this.#overspent(limit));
    const session = await this.#process.ready(options);
    const prompts = new AwaitedPrompts([await this.#send(session, prompt, limit)]);
    this.#turn = { session, prompts };
    try {
      return yield* this.#read(session, options, { clock: this.#clock, waitsForTasks: true, prompts, ownsQueue: true });
    } finally {
      this.#turn = undefined;
    }
  }

  /** Says more while a turn of `stream` runs. That turn ends when all that was said is answered. */
  async addPrompt(input: PromptInput): Promise<void> {
    const prompt = await readTask(input, this.#options.signal);
    const { session, prompts } = this.#turn ?? {};
    if (!session || !prompts?.isOpen) {
      throw new SkeinError("No turn is running to take a prompt", { kind: "usage", hint: "Send a new one." });
    }
    const id = randomUUID();
    prompts.add(id);
    await session.send(prompt, id);
  }

  /** The events of all turns, and what comes between them, until the client is disconnected. */
  async *receiveMessages(): AsyncGenerator<SkeinEvent, void, void> {
    using _ = this.#claimReader();
    const session = this.#connected();
    const between = createMessageReader(this.#clock);
    while (session === this.#process.session) {
      const { first } = this.#prompts;
      if (first?.answer?.isFolded) this.#prompts.remove(first.id);
      else if (first) yield* this.#respond();
      else {
        const message = await Promise.race([this.#peek(session), this.#prompts.arrival()]);
        if (message === "ended") return;
        if (!message || this.#prompts.first) continue;
        if (beginsTurn(message)) {
          // No prompt began it: a task that went to the background reports.
          const prompts = new AwaitedPrompts([], { isUnprompted: true });
          yield* this.#read(session, this.#options, { clock: this.#clock, waitsForTasks: false, prompts });
        } else {
          // It is taken now. A disconnect takes all that is left: then this is the reader's last, and what comes after it nobody's.
          await session.next().catch(() => undefined);
          yield* between.read(message);
        }
      }
    }
  }

  /** Sends a prompt and gives its result: `query` and `receiveResponse` in one. */
  async ask(prompt: PromptInput): Promise<TurnResult> {
    await this.query(prompt);
    return await drain(this.receiveResponse());
  }

  /** Stops the turn that runs; its result says so, and the conversation can go on. Prompts that wait behind it are run. */
  async interrupt(): Promise<void> {
    const session = this.#connected();
    await this.#ask(session, { ask: () => session.interrupt() });
  }

  /** Another model, from the next response on. */
  async setModel(model: string): Promise<void> {
    await this.#change({ model });
  }

  /** Another permission mode, from the next tool call on. */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.#change({ permissionMode: mode });
  }

  /** Turns, errors, time and money so far. */
  statistics(): ClientStatistics {
    const { turns, totalDurationMs } = this.#statistics;
    return { ...this.#statistics, averageDurationMs: turns === 0 ? 0 : totalDurationMs / turns };
  }

  /** Ends the process, and resolves when all that it started is gone. The session can be resumed by its id. */
  async disconnect(): Promise<void> {
    this.#prompts.clear();
    await this.#process.close(this.#options.graceMs);
    this.#prompts.clear();
    this.releaseServers();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  /** Whether a turn runs or is about to: what the process was told for it must not be changed now. */
  get #isBusy(): boolean {
    return this.#process.session !== undefined && (this.#turn !== undefined || this.#prompts.isWaiting);
  }

  protected async request<Answer>(request: CliRequest<Answer>): Promise<Answer> {
    return await this.#ask(this.#connected(), request);
  }

  async #ask<Answer>(session: CliSession, request: CliRequest<Answer>): Promise<Answer> {
    return await askCli(session, request, { timeoutMs: this.#options.idleTimeoutMs, clock: this.#clock });
  }

  async #change(change: Pick<ClaudeOptions, "model" | "permissionMode">): Promise<void> {
    parseTurnOptions(change);
    await this.#process.change(change);
    this.#options = { ...this.#options, ...change };
  }

  async #send(session: CliSession, prompt: ClaudePrompt, limit: MoneyLimit | undefined): Promise<string> {
    // What the session has cost before the turn can be asked only now. A process that cannot say so is told of when it is read.
    if (limit) await session.settledCostUsd().catch(() => undefined);
    const id = await session.send(prompt);
    this.#prompts.add({ id });
    return id;
  }

  async *#respond(): TurnStream {
    const { first } = this.#prompts;
    if (!first) {
      const hint = "Send a prompt first with query(); receiveMessages() also yields what arrives without one.";
      throw new SkeinError("There is no prompt to read a response to", { kind: "usage", hint });
    }
    if (first.answer) {
      this.#prompts.remove(first.id);
      return yield* this.#tell(first.answer);
    }
    const reading = { clock: this.#clock, waitsForTasks: false, prompts: new AwaitedPrompts([first.id]) };
    return yield* this.#read(this.#connected(), this.#options, reading);
  }

  async *#read(
    session: CliSession,
    options: ClaudeOptions,
    reading: TurnReading & { readonly prompts: AwaitedPrompts },
  ): TurnStream {
    const limit = this.#limitOf(options);
    const budget = limit && (await watchBudget(session, limit));
    let result: TurnResult | undefined;
    try {
      for await (const event of runTurn(session, options, { ...reading, budget })) {
        if (event.sessionId) this.#process.sessionId = event.sessionId;
        if (event.type === "turn-end") this.#count((result = event.result));
        yield event;
      }
      if (!result) throw new SkeinError("The turn ended without a result", { kind: "runtime" });
      return result;
    } finally {
      if (!result) this.#count(await abandonTurn(session, options, reading));
      this.#prompts.settle(reading.prompts, { result, sessionId: this.sessionId, isLost: session.hasEnded });
    }
  }

  async *#tell(result: TurnResult): TurnStream {
    yield turnEnd(result, this.#clock);
    return result;
  }

  /** The next message, left to be read; or that there will be none, because the client was disconnected. */
  async #peek(session: CliSession): Promise<SDKMessage | "ended"> {
    try {
      return (await session.peek()) ?? "ended";
    } catch (error) {
      if (session !== this.#process.session) return "ended";
      throw toProcessError(error, session, this.sessionId);
    }
  }

  #limitOf(options: ClaudeOptions): MoneyLimit | undefined {
    return findMoneyLimit(options, this.#statistics.costUsd);
  }

  #overspent(limit: MoneyLimit): TurnResult {
    return failedResult(moneySpent(limit), { sessionId: this.sessionId, model: this.#options.model });
  }

  #connected(): CliSession {
    const { session } = this.#process;
    if (session) return session;
    throw new SkeinError("The client is not connected", { kind: "usage", hint: "Call connect() or query() first." });
  }

  #claimReader(): Disposable {
    if (this.#isReading) {
      const hint = "Read one response to the end before the next.";
      throw new SkeinError("The events of this client are already being read", { kind: "usage", hint });
    }
    this.#isReading = true;
    return { [Symbol.dispose]: () => (this.#isReading = false) };
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

/** The first message of a turn: what else comes between turns tells of the session, not of a turn. */
function beginsTurn(message: SDKMessage): boolean {
  if (message.type === "system") return message.subtype === "init";
  return message.type === "assistant" || message.type === "stream_event" || message.type === "result";
}

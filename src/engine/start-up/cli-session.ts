import { randomUUID } from "node:crypto";
import type { Options, Query, SDKMessage, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { AsyncQueue, systemClock, type Clock } from "../../core/internal.ts";
import { watchQuestions, type OpenQuestions } from "../permissions/open-questions.ts";
import { toUserMessage, type ClaudePrompt } from "../prompts/claude-prompt.ts";
import { DEFAULT_GRACE_MS, type CliProcess } from "../processes/cli-process.ts";
import type { ProcessManager } from "../processes/process-manager.ts";
import { directoryShown, showSession } from "./show-session.ts";
import { mintServers, type SessionOptions } from "../options/tool-server.ts";

export interface CliConnection {
  readonly input: AsyncQueue<SDKUserMessage>;
  readonly query: Query;
  readonly process: () => CliProcess | undefined;
  readonly release: () => void;
  readonly questions: OpenQuestions;
  /** For a process that was started before: whether it takes this session up. */
  readonly isBound?: Promise<boolean>;
}

/** A CLI process with a conversation in it. Prompts go in, messages come out, one reader at a time. */
export class CliSession implements AsyncDisposable {
  readonly query: Query;
  readonly #cli: CliConnection;
  readonly #clock: Clock;
  #pending: Promise<IteratorResult<SDKMessage, void>> | undefined;
  #hasEnded = false;
  #hasAnswered = false;
  #isClosing = false;
  #totalUsd: number | undefined;
  #apiMs = 0;
  #lastMessageId: string | undefined;

  constructor(cli: CliConnection, clock: Clock = systemClock) {
    this.#cli = cli;
    this.query = cli.query;
    this.#clock = clock;
    const answered = (): boolean => (this.#hasAnswered = true);
    // One that never answers is told of by whoever reads it.
    this.query.initializationResult().then(answered, () => undefined);
  }

  get process(): CliProcess | undefined {
    return this.#cli.process();
  }

  /** What it has asked `canUseTool`, and how long it waited for answers. */
  get questions(): OpenQuestions {
    return this.#cli.questions;
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the process is no more, though it may have left words that nobody has read. */
  get isGone(): boolean {
    const { exitCode = null, signalCode = null } = this.process?.child ?? {};
    return this.#hasEnded || exitCode !== null || signalCode !== null;
  }

  get takesInput(): boolean {
    return this.process?.child.stdin.writableEnded === false;
  }

  /** Whether the process takes this session up. One that does not has run nothing of what it was sent. */
  async isBound(): Promise<boolean> {
    return (await this.#cli.isBound) ?? true;
  }

  /** Sends a prompt, and gives the id that its answer will name; while a turn runs, the CLI takes it up after that turn, or in it. */
  async send(prompt: ClaudePrompt, id = randomUUID()): Promise<string> {
    await this.#cli.input.push(toUserMessage(prompt, id));
    return id;
  }

  /** What the session has cost by now, as the CLI counts it, what it was resumed with included. */
  async costUsd(): Promise<number> {
    const { session } = await this.query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({
      skipBehaviors: true,
    });
    return session.total_cost_usd;
  }

  /** The same up to the last turn that ended: the turn that runs is not in it. */
  async settledCostUsd(): Promise<number> {
    return (this.#totalUsd ??= await this.costUsd());
  }

  /** Time that the process had spent waiting for the API at its last result. */
  get apiMs(): number {
    return this.#apiMs;
  }

  /** The id of the last response. A compaction tells none of its own, and goes to the same API. */
  get lastMessageId(): string | undefined {
    return this.#lastMessageId;
  }

  /** No more prompts: the CLI ends by itself when the work is done. */
  endInput(): void {
    this.#cli.input.end();
  }

  /** The next message, undefined at the end. A call that was not waited for is not lost: the next one gets its message. */
  async next(): Promise<SDKMessage | undefined> {
    this.#pending ??= this.query.next();
    try {
      const { done, value } = await this.#pending;
      if (done) this.#hasEnded = true;
      if (value?.type === "result") {
        this.#totalUsd = value.total_cost_usd;
        this.#apiMs = value.duration_api_ms;
      }
      if (value?.type === "assistant" && value.message.model !== "<synthetic>") this.#lastMessageId = value.message.id;
      return done ? undefined : value;
    } catch (error) {
      this.#hasEnded = true;
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }

  /** Waits for the next message and leaves it to be read; undefined at the end. */
  async peek(): Promise<SDKMessage | undefined> {
    this.#pending ??= this.query.next();
    const { done, value } = await this.#pending;
    return done ? undefined : value;
  }

  /** Asks the CLI to stop the turn that runs, and what waits behind it too where that is wanted. */
  async interrupt({ cancelQueued = false } = {}): Promise<void> {
    // The SDK passes this on to the CLI, and leaves it out of its types.
    const interrupt = this.query.interrupt.bind(this.query) as (options: object) => Promise<unknown>;
    await interrupt({ cancelQueued });
  }

  /** Lets the CLI end by itself, ends it if it does not, and resolves when all that it started is gone. */
  async close(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.#isClosing = true;
    this.endInput();
    const waiting = new AbortController();
    await Promise.race([this.#drain(), this.#clock.sleep(graceMs, waiting.signal)]).catch(() => undefined);
    waiting.abort();
    await this.process?.end(this.#hasEnded ? graceMs : 0);
    this.query.close();
    this.#cli.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #drain(): Promise<void> {
    while (!this.#hasEnded) await this.next();
  }
}

export async function openSession(
  options: SessionOptions,
  processes: ProcessManager,
  clock?: Clock,
): Promise<CliSession> {
  // The SDK takes a quarter of a second to load: who runs no turn does not wait for it.
  const { query } = await import("@anthropic-ai/claude-agent-sdk");
  const input = new AsyncQueue<SDKUserMessage>();
  const { options: minted, release } = await mintServers(options);
  const { watched, questions } = watchQuestions(minted, clock ?? systemClock);
  const laidOut = options.sessionStore === undefined ? undefined : options.resume;
  const known = laidOut === undefined ? undefined : processes.expectResume(laidOut);
  const { spawn, spawned } = trackSpawn(processes, options, { onSpawned: known });
  const running = query({ prompt: input, options: { ...showSession(watched), spawnClaudeCodeProcess: spawn } });
  return new CliSession({ input, query: running, process: spawned, release, questions }, clock);
}

interface TrackSpawnOptions {
  readonly onSpawned?: (() => void) | undefined;
  /** Whether it waits in a folder that the SDK made for that alone. */
  readonly isParked?: boolean;
}

/** The SDK's hook for starting a process, and what it started. */
export function trackSpawn(
  processes: ProcessManager,
  { stderr, ...options }: SessionOptions,
  { onSpawned, isParked = false }: TrackSpawnOptions = {},
): {
  readonly spawn: NonNullable<Options["spawnClaudeCodeProcess"]>;
  readonly spawned: () => CliProcess | undefined;
} {
  let cli: CliProcess | undefined;
  const isShown = directoryShown(options) !== undefined;
  return {
    spawn: (wanted) => {
      // The SDK was told where the agent finds itself, which is elsewhere for this process.
      const here = isShown && options.cwd !== undefined ? { ...wanted, cwd: options.cwd } : wanted;
      const folders = isParked ? { parkedIn: wanted.cwd } : options;
      cli = processes.spawn(here, { onStderr: stderr, folders, isShown });
      onSpawned?.();
      return cli.child;
    },
    spawned: () => cli,
  };
}

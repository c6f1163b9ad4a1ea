import type { SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  NO_USAGE,
  SkeinError,
  addUsage,
  createUsageMeter,
  isoTime,
  offlineMark,
  type Clock,
  type OfflineMark,
  type SkeinEvent,
  type TurnResult,
} from "../../core/internal.ts";
import { readFailure, toProcessError, type AssistantFailure, type EndedCli } from "../failures/classify-error.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { CliSession } from "../start-up/cli-session.ts";
import { createMessageReader, eventBase, isSynthetic } from "./message-events.ts";
import { toTurnResult } from "./turn-result.ts";
import { createUsageReader } from "./usage-events.ts";

export class TurnRecord {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #reader;
  readonly #cli: EndedCli;
  readonly #apiMsBefore: number;
  readonly #idBefore: string | undefined;
  readonly #resume: string | undefined;
  readonly #hasSchema: boolean;
  readonly #results: SDKResultMessage[] = [];
  readonly #usage = createUsageReader();
  readonly #meter = createUsageMeter();
  #model = "";
  #sessionId = "";
  #assistantFailure: AssistantFailure | undefined;
  #failure: SkeinError | undefined;
  #backgroundTasks: number | undefined;
  #retryAfterMs: number | undefined;

  constructor(
    clock: Clock,
    cli: EndedCli & Pick<CliSession, "apiMs" | "lastMessageId" | "questions">,
    { resume, outputSchema }: Pick<ClaudeOptions, "resume" | "outputSchema"> = {},
  ) {
    this.#clock = clock;
    this.#resume = resume;
    this.#hasSchema = outputSchema !== undefined;
    this.#startedAt = clock.now();
    this.#cli = cli;
    this.#apiMsBefore = cli.apiMs;
    this.#idBefore = cli.lastMessageId;
    this.#reader = createMessageReader(clock, cli.questions);
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** Whether tasks went to the background, which report with results of their own. */
  get hasBackgroundTasks(): boolean {
    return this.#backgroundTasks !== undefined;
  }

  /** What was heard last is no sign that all is still: a tool or a task in the background works without a word. */
  get isWorking(): boolean {
    return this.#reader.openCalls() > 0 || (this.#backgroundTasks ?? 0) > 0;
  }

  /** Notes what a message says and gives its events; `errorType` is the API's word for a failure, where the message lacks it. */
  read(message: SDKMessage, errorType?: string): readonly SkeinEvent[] {
    if ("session_id" in message && message.session_id) this.#sessionId = message.session_id;
    if (message.type === "result") this.#results.push(message);
    if (message.type === "assistant" && !message.parent_tool_use_id) {
      this.#assistantFailure = readFailure(message, errorType);
    }
    this.#model = modelOf(message) ?? this.#model;
    if (message.type === "system" && message.subtype === "background_tasks_changed") {
      this.#backgroundTasks = message.tasks.length;
    }
    if (message.type === "system" && message.subtype === "api_retry") this.#retryAfterMs = message.retry_delay_ms;
    const told = this.#usage.read(message);
    const events = this.#reader.read(message, errorType);
    if (!told) return events;
    const usage = { ...eventBase(message, this.#clock), ...told };
    this.#meter.read(usage);
    return [usage, ...events];
  }

  /** The turn was ended, or its stream broke. After a result, a break is only how the process ended. */
  fail(thrown: unknown): void {
    if (this.#results.length > 0 && !(thrown instanceof SkeinError)) return;
    this.#failure = thrown instanceof SkeinError ? thrown : this.#processError(thrown);
  }

  end(): SkeinEvent & { readonly type: "turn-end" } {
    const result = this.#toResult();
    return {
      type: "turn-end",
      timestamp: isoTime(this.#clock.now()),
      ...(result.sessionId ? { sessionId: result.sessionId } : {}),
      ...(this.#results.length > 0 ? { raw: this.#results.at(-1) } : {}),
      result,
    };
  }

  #toResult(): TurnResult {
    const [first, ...rest] = this.#results;
    const context = {
      model: this.#model,
      failure: this.#assistantFailure,
      apiMsBefore: this.#apiMsBefore,
      // A compaction asks for no answer.
      wantsOutput: this.#hasSchema && this.#meter.spent().responses > 0,
      resume: this.#resume,
      retryAfterMs: this.#retryAfterMs,
    };
    const told = {
      ...(this.#usage.hasBrokenOff() ? { isLowerBound: true } : {}),
      ...this.#offlineMark(),
    };
    const read = first && { ...toTurnResult([first, ...rest], context), ...told };
    if (read && !this.#failure) return read;
    const failure = this.#failure ?? this.#processError(undefined);
    return {
      ...(read ?? this.#withoutResult()),
      durationMs: this.#clock.now() - this.#startedAt,
      isError: true,
      error: failure.toJSON(),
    };
  }

  /** A turn that was killed: its tokens as far as the stream told them, and no money. */
  #withoutResult(): Omit<TurnResult, "isError" | "durationMs"> {
    const usageByModel = Object.fromEntries(
      Object.entries(this.#meter.byModel()).map(([model, usage]) => [model, { ...usage, costUsd: 0 }]),
    );
    return {
      text: "",
      sessionId: this.#sessionId,
      model: this.#model,
      usage: Object.values(usageByModel).reduce(addUsage, NO_USAGE),
      usageByModel,
      costUsd: 0,
      isLowerBound: true,
      ...this.#offlineMark(),
      responses: this.#meter.spent().responses,
      permissionDenials: [],
    };
  }

  /** A turn that tells of no response, such as a compaction, asked the model that the turns before it did. */
  #offlineMark(): OfflineMark | undefined {
    const ids = [...this.#usage.messageIds()];
    return offlineMark(ids.length === 0 && this.#idBefore !== undefined ? [this.#idBefore] : ids);
  }

  #processError(thrown: unknown): SkeinError {
    return toProcessError(thrown, this.#cli, this.#sessionId);
  }
}

/** The model that a message tells of: the one that is to answer, then the one that does, which is another after a fallback. */
function modelOf(message: SDKMessage): string | undefined {
  if (message.type === "system" && message.subtype === "init") return message.model;
  if ("parent_tool_use_id" in message && message.parent_tool_use_id) return undefined;
  if (message.type === "stream_event" && message.event.type === "message_start") return message.event.message.model;
  return message.type === "assistant" && !isSynthetic(message) ? message.message.model : undefined;
}

import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  ClaudeTimeoutError,
  SkeinError,
  createUsageMeter,
  tokensOf,
  type Clock,
  type SkeinEvent,
  type UsageEvent,
} from "../../core/internal.ts";
import { RESPONSES_HINT, findRefusal } from "../failures/classify-error.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { OpenQuestions } from "../permissions/open-questions.ts";
import type { CliSession } from "../start-up/cli-session.ts";
import { watchResources } from "./watch-resources.ts";

/** Time without a new token or tool event, while no tool runs, after which a turn is given up. */
export const DEFAULT_IDLE_MS = 5 * 60_000;

/** Time that a turn may take where nothing is said: also one that gets on, a token at a time. */
const DEFAULT_TURN_MS = 2 * 60 * 60_000;

export interface TurnLimits extends Disposable {
  /** Resolves with the reason once a limit is passed; never rejects. */
  readonly passed: Promise<SkeinError>;
  /** A message was heard. Not each is a sign of life; and while a tool works, silence is no sign of anything. */
  heard(message: SDKMessage, isWorking: boolean): void;
  happened(event: SkeinEvent): void;
}

/** The session whose turn it is. */
type WatchedCli = Pick<CliSession, "process" | "questions">;

/** Watches over a turn: signal, time, silence, responses, tokens, what the API refuses, what the machine gives; each with its own error. */
export function watchTurn(options: ClaudeOptions, clock: Clock, watched: WatchedCli): TurnLimits {
  const over = new AbortController();
  let pass: (error: SkeinError) => void = () => undefined;
  const passed = new Promise<SkeinError>((resolve) => (pass = resolve));
  const after = (ms: number, error: () => SkeinError, signal = over.signal): void => {
    clock.sleep(Math.max(0, ms), signal).then(
      () => pass(error()),
      () => undefined,
    );
  };
  // A person who thinks for ten minutes does not lose the turn by it.
  const afterWork = (ms: number, error: () => SkeinError, signal = over.signal): void => {
    sleepThroughQuestions(ms, { clock, signal, questions: watched.questions }).then(
      () => pass(error()),
      () => undefined,
    );
  };

  const onAbort = (): void =>
    pass(new SkeinError("The turn was cancelled", { kind: "cancelled", hint: "The session can be resumed." }));
  options.signal?.addEventListener("abort", onAbort, { once: true });
  // It may have been aborted while the process was being started, and tells that to nobody again.
  if (options.signal?.aborted) onAbort();
  const { timeoutMs = DEFAULT_TURN_MS, idleTimeoutMs = DEFAULT_IDLE_MS } = options;
  const refusals = createRefusalCount();
  afterWork(timeoutMs, () => timedOut("turn", timeoutMs, refusals.told()));
  if (options.deadline !== undefined)
    after(options.deadline - clock.now(), () => timedOut("deadline", 0, refusals.told()));
  watchResources(options, { process: () => watched.process, clock, signal: over.signal, pass });

  let silence = new AbortController();
  const listen = (): void =>
    afterWork(idleTimeoutMs, () => timedOut("idle", idleTimeoutMs, refusals.told()), silence.signal);
  listen();
  const countResponse = createResponseLimit(options.maxResponses);
  const countTokens = createTokenLimit(options.maxTokens);

  return {
    passed,
    heard(message, isWorking) {
      refusals.read(message);
      const error = countResponse(message) ?? findRefusal(message, watched.process?.env);
      if (error) pass(error);
      if (!isSignOfLife(message)) return;
      silence.abort();
      silence = new AbortController();
      if (!isWorking) listen();
    },
    happened(event) {
      const error = countTokens(event);
      if (error) pass(error);
    },
    [Symbol.dispose]() {
      options.signal?.removeEventListener("abort", onAbort);
      silence.abort();
      over.abort();
    },
  };
}

/** Sleeps for so long, not counting the time in which questions are open. */
async function sleepThroughQuestions(
  ms: number,
  {
    clock,
    signal,
    questions,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly questions: OpenQuestions },
): Promise<void> {
  const passedMs = (): number => clock.now() - questions.waitedMs();
  const endMs = passedMs() + Math.max(0, ms);
  for (let leftMs = ms; leftMs > 0; leftMs = endMs - passedMs()) {
    await clock.sleep(questions.isWaiting ? Math.max(leftMs, LOOK_AGAIN_MS) : leftMs, signal);
  }
  signal.throwIfAborted();
}

/** While a question is open its end is looked for this often. */
const LOOK_AGAIN_MS = 1000;

/** For each limit on time: what is said when it is passed, the option that holds it, and how it is raised. */
const TIME_LIMITS = {
  turn: {
    say: (ms: number) => `The turn took longer than ${ms} ms`,
    option: "timeoutMs",
    hint: "Raise `timeoutMs`, or ask for less at once; the session can be resumed.",
  },
  deadline: {
    say: () => "The deadline passed",
    option: "deadline",
    hint: "Set a later `deadline`, or ask for less at once; the session can be resumed.",
  },
  idle: {
    say: (ms: number) => `No new token and no tool activity for ${ms} ms`,
    option: "idleTimeoutMs",
    hint: "Raise `idleTimeoutMs` if a response may be silent for longer; the session can be resumed.",
  },
} as const;

function timedOut(
  reason: keyof typeof TIME_LIMITS,
  timeoutMs: number,
  refused: { readonly apiStatus: number; readonly apiRefusals: number } | undefined,
): ClaudeTimeoutError {
  const { say, option, hint } = TIME_LIMITS[reason];
  const { apiStatus, apiRefusals = 0 } = refused ?? {};
  const times = apiRefusals === 1 ? "once" : `${apiRefusals} times`;
  const why = refused
    ? `; the API had answered ${STATUS_WORDS[apiStatus ?? 0] ?? apiStatus} ${times} and nothing else`
    : "";
  return new ClaudeTimeoutError(`${say(timeoutMs)}${why}`, { timeoutMs, reason, target: option, hint, ...refused });
}

const STATUS_WORDS: Readonly<Record<number, string>> = { 529: "529 (overloaded)", 429: "429 (too many requests)" };

/** Counts the refusals that the CLI tries again after; the first sign of a response ends the count. */
function createRefusalCount() {
  let apiStatus = 0;
  let apiRefusals = 0;
  return {
    read(message: SDKMessage): void {
      if (message.type === "stream_event" || message.type === "assistant") apiRefusals = 0;
      if (message.type !== "system" || message.subtype !== "api_retry" || message.error_status === null) return;
      apiStatus = message.error_status;
      apiRefusals += 1;
    },
    told: () => (apiRefusals === 0 ? undefined : { apiStatus, apiRefusals }),
  };
}

/**
 * Whether a message shows that a turn gets on: a prompt that is taken up, a response that begins, a token, a whole block, a tool, a task, an attempt to reach the API again. What
 * only keeps a connection open does not: pings, deltas with nothing in them, blocks that begin and end.
 */
function isSignOfLife(message: SDKMessage): boolean {
  switch (message.type) {
    case "stream_event":
      return message.event.type === "message_start" || hasToken(message.event);
    case "system":
      return message.subtype !== "thinking_tokens" || message.estimated_tokens_delta > 0;
    case "assistant":
    case "user":
    case "result":
    case "tool_progress":
    case "tool_use_summary":
      return true;
    default:
      // A prompt was taken up, or done with: the SDK's types leave this kind out.
      return (message.type as string) === "command_lifecycle";
  }
}

/** A delta names its kind, and holds what has come in another field: `text`, `thinking`, `partial_json`, `signature`. */
function hasToken(event: object): boolean {
  const { type, delta } = event as { readonly type: string; readonly delta?: object };
  if (type !== "content_block_delta" || delta === undefined) return false;
  const { type: _, ...content } = delta as Readonly<Record<string, unknown>>;
  return Object.values(content).some((value) => value !== "" && value !== null && value !== undefined);
}

/** Model responses that a turn may take where nothing is said: a loop without end is not paid for without end. */
export const DEFAULT_MAX_RESPONSES = 500;

/**
 * Counts the responses of each agent of a turn, and gives the error once one has taken too many. The CLI holds the limit for the
 * agent itself, prompt by prompt; this one holds for all that belongs to the turn. A sub-agent may take as many as a turn may by default,
 * or more where the turn may.
 */
function createResponseLimit(maxResponses = DEFAULT_MAX_RESPONSES): (message: SDKMessage) => SkeinError | undefined {
  const agents = new Map<string, { latest: string; count: number }>();
  return (message) => {
    const id = responseIn(message);
    if (id === undefined) return undefined;
    const parent = ("parent_tool_use_id" in message && message.parent_tool_use_id) || "";
    const agent = agents.get(parent) ?? { latest: "", count: 0 };
    if (agent.latest !== id) agents.set(parent, { latest: id, count: agent.count + 1 });
    const limit = parent === "" ? maxResponses : Math.max(maxResponses, DEFAULT_MAX_RESPONSES);
    return (agents.get(parent)?.count ?? 0) > limit ? tooManyResponses(limit, parent !== "") : undefined;
  };
}

function tooManyResponses(limit: number, isSubagent: boolean): SkeinError {
  const message = `${isSubagent ? "A sub-agent" : "The turn"} has taken the ${limit} responses it may take`;
  return new SkeinError(message, { kind: "budget", target: "maxResponses", hint: RESPONSES_HINT });
}

/** The id of the response that a message belongs to. The CLI's own words are none. */
function responseIn(message: SDKMessage): string | undefined {
  if (message.type === "assistant") return message.message.model === "<synthetic>" ? undefined : message.message.id;
  return message.type === "stream_event" && message.event.type === "message_start"
    ? message.event.message.id
    : undefined;
}

/** Counts a turn's tokens, and gives the error once they reach the limit; not for its last response, as nothing would be saved by that. */
export function createTokenLimit(maxTokens = Infinity): (event: SkeinEvent) => SkeinError | undefined {
  const meter = createUsageMeter();
  return (event) => {
    meter.read(event);
    if (event.type !== "usage" || isLast(event)) return undefined;
    const used = tokensOf(meter.spent());
    if (used < maxTokens) return undefined;
    return new SkeinError(`The turn has used ${used} tokens; its limit is ${maxTokens}`, {
      kind: "budget",
      target: "maxTokens",
      hint: "Raise `maxTokens`, or resume the session to continue.",
    });
  };
}

function isLast({ isFinal, stopReason, parentToolUseId }: UsageEvent): boolean {
  return isFinal && stopReason !== "tool_use" && parentToolUseId === undefined;
}

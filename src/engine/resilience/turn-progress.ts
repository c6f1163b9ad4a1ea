import { resumeOptions } from "../turns/keep-session.ts";
import {
  SkeinError,
  isEvent,
  limitsLeft,
  toSkeinError,
  type Amounts,
  type ErrorRecord,
  type SkeinEvent,
  type TurnEndEvent,
  type TurnResult,
} from "../../core/internal.ts";
import type { Engine } from "../engine.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { claudePrompt, type ClaudePrompt } from "../prompts/claude-prompt.ts";
import { addResults } from "../turns/turn-result.ts";
import { CircuitOpenError } from "./circuit-breaker.ts";

export class TurnProgress {
  readonly #ends: TurnEndEvent[] = [];
  #first: AttemptPlan;
  #workSession: string | undefined;
  #givenSession: string | undefined;
  #last: Attempt = { hasDoneWork: false };
  #hasRun = false;

  constructor(first: AttemptPlan) {
    this.#first = first;
  }

  add(attempt: Attempt): void {
    this.#last = attempt;
    this.#hasRun ||= !this.isRefused();
    if (attempt.end) this.#ends.push(attempt.end);
    const { sessionId, persistSession } = this.#first.options;
    if (!attempt.sessionId || persistSession === false) return;
    if (attempt.hasDoneWork) this.#workSession = attempt.sessionId;
    if (attempt.sessionId === sessionId) this.#givenSession = sessionId;
  }

  hasRun(): boolean {
    return this.#hasRun;
  }

  isRefused(): boolean {
    return this.#last.thrown instanceof CircuitOpenError;
  }

  /** The session to go on with, where something was done that must not be done twice. */
  workSession(): string | undefined {
    return this.#workSession;
  }

  useModel(model: string): void {
    this.#first = { ...this.#first, options: { ...this.#first.options, model } };
  }

  /** What the next attempt is given: each is counted from nothing, so what is left of the turn's limits is told. */
  plan(): AttemptPlan {
    const options = { ...this.#first.options, ...this.#limitsLeft() };
    // What was asked and attached is in the session already, and so is what was done.
    const prompt = this.#workSession === undefined ? this.#first.prompt : claudePrompt(CONTINUATION_PROMPT);
    // A session that was made for this turn: its id cannot be given to a second one.
    const session = this.#workSession ?? this.#givenSession;
    return { prompt, options: session === undefined ? options : resumeOptions(options, session) };
  }

  isSpent(): boolean {
    return Object.values(this.#limitsLeft()).includes(0);
  }

  #limitsLeft(): Amounts {
    return limitsLeft(this.#first.options, this.#results());
  }

  #results(): readonly TurnResult[] {
    return this.#ends.map(({ result }) => result);
  }

  /** The result of the whole turn, if this is the last attempt's. */
  toFinal(result: TurnResult): TurnResult {
    return addResults(this.#results(), result);
  }

  lastError(): ErrorRecord {
    const { thrown, end } = this.#last;
    if (thrown !== undefined) return toSkeinError(thrown).toJSON();
    return end?.result.error ?? new SkeinError("The engine ended without saying why", { kind: "runtime" }).toJSON();
  }

  /** The end of a turn that is given up, with what was spent on all. Where no attempt came to a result, what kept it from one is thrown. */
  toFailedEnd(reason?: SkeinError): TurnEndEvent {
    const end = this.#ends.at(-1);
    if (!end) throw reason ?? this.#last.thrown ?? toSkeinError(this.lastError().message);
    // That a breaker is open is no news to a turn that met what opened it.
    const error = reason?.toJSON() ?? (this.isRefused() ? end.result.error : undefined) ?? this.lastError();
    return { ...end, result: addResults(this.#results().slice(0, -1), { ...end.result, isError: true, error }) };
  }
}

export interface Attempt {
  /** Whether the session holds something that must not be done twice. */
  readonly hasDoneWork: boolean;
  readonly sessionId?: string;
  readonly end?: TurnEndEvent;
  readonly thrown?: unknown;
}

/** Runs one attempt and passes its events on. Its end is passed on only if it is a good one, as `toFinal` makes it. */
export async function* runAttempt(
  engine: Pick<Engine, "stream">,
  { prompt, options }: AttemptPlan,
  toFinal: (result: TurnResult) => TurnResult,
): AsyncGenerator<SkeinEvent, Attempt, void> {
  let attempt: Attempt = { hasDoneWork: false };
  try {
    for await (const event of engine.stream(prompt, options)) {
      attempt = note(attempt, event);
      if (event.type !== "turn-end") yield event;
      else if (!event.result.isError) yield { ...event, result: toFinal(event.result) };
    }
  } catch (thrown) {
    if (!attempt.end) return { ...attempt, thrown };
  }
  return attempt;
}

function note(attempt: Attempt, event: SkeinEvent): Attempt {
  const sessionId = (event.type === "turn-end" && event.result.sessionId) || event.sessionId || attempt.sessionId;
  return {
    ...attempt,
    ...(sessionId ? { sessionId } : {}),
    // A tool that was started counts, ended or not: what it did by then is done.
    hasDoneWork: attempt.hasDoneWork || isEvent(event, "text", "tool-start", "tool-end"),
    ...(event.type === "turn-end" ? { end: event } : {}),
  };
}

/** What an agent is told whose turn was interrupted after it had done something. */
export const CONTINUATION_PROMPT = "Continue where you were interrupted.";

export interface AttemptPlan {
  readonly prompt: ClaudePrompt;
  readonly options: ClaudeOptions;
}

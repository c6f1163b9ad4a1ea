import {
  limitsLeft,
  SkeinError,
  toSkeinError,
  type Amounts,
  type ErrorRecord,
  type TurnEndEvent,
  type TurnResult,
} from "../../core/index.ts";
import { addResults } from "./add-results.ts";
import { CircuitOpenError } from "./circuit-open-error.ts";
import { repeatPlan, resumePlan, type AttemptPlan } from "./plan-attempt.ts";
import type { Attempt } from "./run-attempt.ts";

/** What is known of a turn between its attempts. */
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

  /** Whether any attempt was let through. */
  hasRun(): boolean {
    return this.#hasRun;
  }

  /** Whether a breaker refused the last attempt. */
  isRefused(): boolean {
    return this.#last.thrown instanceof CircuitOpenError;
  }

  /** The session to go on with, where something was done that must not be done twice. */
  workSession(): string | undefined {
    return this.#workSession;
  }

  /** From here on another model is asked. */
  useModel(model: string): void {
    this.#first = { ...this.#first, options: { ...this.#first.options, model } };
  }

  /** What the next attempt is given: each is counted from nothing, so what is left of the turn's limits is told. */
  plan(): AttemptPlan {
    const { prompt, options } = this.#first;
    const limited = { prompt, options: { ...options, ...this.#limitsLeft() } };
    if (this.#workSession !== undefined) return resumePlan(limited, this.#workSession);
    return this.#givenSession === undefined ? limited : repeatPlan(limited, this.#givenSession);
  }

  /** Whether the attempts have used up the turn's money or tokens. */
  isSpent(): boolean {
    return Object.values(this.#limitsLeft()).includes(0);
  }

  #limitsLeft(): Amounts {
    return limitsLeft(
      this.#first.options,
      this.#ends.map(({ result }) => result),
    );
  }

  /** The result of the whole turn, if this is the last attempt's. */
  toFinal(result: TurnResult): TurnResult {
    return addResults(
      this.#ends.map((end) => end.result),
      result,
    );
  }

  /** Why the last attempt failed. */
  lastError(): ErrorRecord {
    const { thrown, end } = this.#last;
    if (thrown !== undefined) return toSkeinError(thrown).toJSON();
    return end?.result.error ?? new SkeinError("The engine ended without saying why", { kind: "runtime" }).toJSON();
  }

  /**
   * The end of a turn that is given up: the last result there is, with what was spent on all, and the reason. Where
   * no attempt came to a result, what kept it from one is thrown.
   */
  toFailedEnd(reason?: SkeinError): TurnEndEvent {
    const end = this.#ends.at(-1);
    if (!end) throw reason ?? this.#last.thrown ?? toSkeinError(this.lastError().message);
    // That a breaker is open is no news to a turn that met what opened it.
    const error = reason?.toJSON() ?? (this.isRefused() ? end.result.error : undefined) ?? this.lastError();
    const earlier = this.#ends.slice(0, -1).map(({ result }) => result);
    const last = { ...end.result, isError: true, error };
    return { ...end, result: addResults(earlier, last) };
  }
}

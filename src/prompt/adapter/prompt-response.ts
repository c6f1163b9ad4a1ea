import { SkeinError, type BudgetEnd, type Usage, type ErrorRecord } from "../../core/index.ts";
import type { Transition } from "../../trace/index.ts";
import type { DeniedCall } from "./call-log.ts";

/** What every evaluation comes to. */
export interface ResponseBase {
  readonly promptName: string;
  /** The agent's last words; for an answer in a shape, its JSON. */
  readonly text: string;
  /** Tokens, sub-agents included. */
  readonly usage: Usage;
  readonly costUsd: number;
  /** The calls that were not let run, oldest first, native or bridged. */
  readonly denials: readonly DeniedCall[];
  /** What the completion checkers said last; absent where there are none, or where nobody could be asked any more. */
  readonly isComplete?: boolean;
  /** What was missing, where it is not complete. */
  readonly feedback?: string;
}

/** An evaluation that came to its end. */
export interface FinishedResponse<Output> extends ResponseBase {
  /** The answer in the prompt's shape; undefined for a prompt that asks for none. */
  readonly output: Output;
  /** The turn as it was recorded. */
  readonly transition: Transition;
  readonly stopped?: undefined;
}

/** An evaluation that something ran out for: time, tokens or money. */
export interface StoppedResponse extends ResponseBase {
  readonly stopped: BudgetEnd;
  readonly output?: undefined;
  /** Absent where it was over before it began. */
  readonly transition?: Transition;
}

/** What an evaluation came to. What failed is thrown; what ran out is a value. */
export type PromptResponse<Output> = FinishedResponse<Output> | StoppedResponse;

/** What is known of an evaluation that failed. */
export interface FailedEvaluation {
  readonly transition: Transition;
  readonly failure: ErrorRecord;
  readonly denials: readonly DeniedCall[];
}

/** An evaluation whose turn failed; the turn is recorded, and can be gone on from. */
export class EvaluationError extends SkeinError {
  override readonly name = "EvaluationError";
  readonly promptName: string;
  /** What the agent had said last. */
  readonly text: string;
  /** The error of the turn, with all its fields. */
  readonly failure: ErrorRecord;
  readonly transitionId: string;
  /** The calls that were not let run until then. */
  readonly denials: readonly DeniedCall[];

  constructor(promptName: string, { transition, failure, denials }: FailedEvaluation) {
    const { kind, retryable, hint } = failure;
    super(`The evaluation of ${promptName} failed: ${failure.message}`, { kind, retryable, hint, target: promptName });
    this.promptName = promptName;
    this.text = transition.execution.response;
    this.failure = failure;
    this.transitionId = transition.id;
    this.denials = denials;
  }
}

import { SkeinError, type ErrorRecord } from "../../core/index.ts";
import type { Transition } from "../../trace/index.ts";
import type { DeniedCall } from "./call-log.ts";

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

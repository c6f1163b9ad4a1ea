import { SkeinError, type ErrorRecord } from "../../core/index.ts";
import type { Transition } from "../../trace/index.ts";

/** An evaluation whose turn failed; the turn is recorded, and can be gone on from. */
export class EvaluationError extends SkeinError {
  override readonly name = "EvaluationError";
  readonly promptName: string;
  /** What the agent had said last. */
  readonly text: string;
  /** The error of the turn, with all its fields. */
  readonly failure: ErrorRecord;
  readonly transitionId: string;

  constructor(promptName: string, transition: Transition, failure: ErrorRecord) {
    const { kind, retryable, hint } = failure;
    super(`The evaluation of ${promptName} failed: ${failure.message}`, { kind, retryable, hint, target: promptName });
    this.promptName = promptName;
    this.text = transition.execution.response;
    this.failure = failure;
    this.transitionId = transition.id;
  }
}

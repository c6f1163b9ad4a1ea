import {
  defined,
  addUsage,
  microUsd,
  NO_USAGE,
  SkeinError,
  sumMicroUsd,
  toUsd,
  type BudgetEnd,
  type ErrorRecord,
  type Usage,
} from "../../core/internal.ts";
import type { Transition } from "../../trace/internal.ts";
import { OutputError } from "../output/output-shape.ts";
import type { RenderedPrompt } from "../template/render-prompt.ts";
import type { DeniedCall } from "./call-log.ts";
import type { EvaluationEvents } from "./evaluation-events.ts";
import type { Evaluation } from "./evaluation.ts";

interface ResponseBase {
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

  constructor(
    promptName: string,
    turn: { readonly transition: Transition; readonly failure: ErrorRecord; readonly denials: readonly DeniedCall[] },
  ) {
    const { kind, retryable, hint, message } = turn.failure;
    super(`The evaluation of ${promptName} failed: ${message}`, { kind, retryable, hint, target: promptName });
    this.promptName = promptName;
    this.text = turn.transition.execution.response;
    this.failure = turn.failure;
    this.transitionId = turn.transition.id;
    this.denials = turn.denials;
  }
}

/** What the recorded turns came to: a response, or the error that the last failed with. Either way the session is told. */
export async function toResponse<Output>(
  evaluation: Evaluation<Output>,
  transitions: readonly Transition[],
): Promise<PromptResponse<Output>> {
  const transition = transitions.at(-1) as Transition;
  const base = { ...sumUp(evaluation, transitions), transition };
  const { stateId } = transition.after;
  const { text, usage, costUsd } = base;
  const report = { text, usage, costUsd, transitionId: transition.id, ...defined({ stateId }) };
  try {
    const ended = await endingOf(evaluation, transition);
    evaluation.events.promptExecuted({ ...report, ...ended });
    return { ...base, ...ended } as PromptResponse<Output>;
  } catch (error) {
    const stopped = error instanceof SkeinError ? error.toJSON() : String(error);
    evaluation.events.promptExecuted({ ...report, stopped });
    throw error;
  }
}

/** The response of an evaluation that had nothing to begin with: no process was started. */
export function stoppedBefore(rendered: RenderedPrompt, stopped: BudgetEnd, events: EvaluationEvents): StoppedResponse {
  const none = { text: "", usage: NO_USAGE, costUsd: 0, stopped };
  events.promptRendered(rendered);
  events.promptExecuted(none);
  return { promptName: nameOf(rendered), ...none, denials: [] };
}

function sumUp({ rendered, log, gate: { last } }: Evaluation, transitions: readonly Transition[]): ResponseBase {
  const executions = transitions.map(({ execution }) => execution);
  return {
    promptName: nameOf(rendered),
    text: executions.at(-1)?.response ?? "",
    usage: executions.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
    costUsd: toUsd(sumMicroUsd(executions.map(({ costUsd }) => microUsd(costUsd)))),
    denials: [...log.denied],
    ...(last ? { isComplete: last.complete } : {}),
    ...(last?.feedback === undefined || last.complete ? {} : { feedback: last.feedback }),
  };
}

async function endingOf<Output>(
  evaluation: Evaluation<Output>,
  transition: Transition,
): Promise<{ readonly stopped: BudgetEnd } | { readonly output: Output | undefined }> {
  const { execution } = transition;
  if (evaluation.ending.failure) throw evaluation.ending.failure;
  const stopped = exhaustion(evaluation, transition);
  if (stopped) return { stopped };
  if (execution.error) throw failureOf(evaluation, transition, execution.error);
  return { output: await evaluation.shape?.parse(execution.structuredOutput, execution.response) };
}

/** What ran out, where that is why the turn ended. */
function exhaustion({ ending, limits, clock }: Evaluation, { execution }: Transition): BudgetEnd | undefined {
  if (ending.exhausted) return ending.exhausted;
  const { error, terminalReason } = execution;
  if (error?.kind === "timeout" && error["reason"] === "deadline" && limits.deadline !== undefined) {
    return { dimension: "deadline", limit: limits.deadline, used: clock.now() };
  }
  return error?.kind === "budget" || terminalReason === "budget_exhausted" ? limits.exhausted() : undefined;
}

function failureOf({ rendered, log }: Evaluation, transition: Transition, failure: ErrorRecord): SkeinError {
  const { response: text } = transition.execution;
  const target = nameOf(rendered);
  if (failure.kind !== "parse") {
    return new EvaluationError(target, { transition, failure, denials: [...log.denied] });
  }
  const issues = [{ message: failure.message }];
  return new OutputError(`The agent gave no valid answer to ${target}`, { text, target, issues });
}

function nameOf({ descriptor: { ns, key, name } }: RenderedPrompt): string {
  return name ?? `${ns}/${key}`;
}

import {
  SkeinError,
  defined,
  isoTime,
  toSkeinError,
  type Clock,
  type ErrorRecord,
  type SkeinEvent,
  type TurnStream,
} from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { Engine } from "../engine.ts";
import type { BreakerOutcome, BreakerRegistry, CircuitBreaker } from "./circuit-breaker.ts";
import { createBackoff, decideNext, outcomeOfFailure, type NextStep } from "./decide-next.ts";
import { TurnProgress, runAttempt, type Attempt, type AttemptPlan } from "./turn-progress.ts";
import type { CheckedPolicy } from "./resilience-policy.ts";
import { waitUntil } from "./bulkhead.ts";

export interface TurnContext {
  readonly engine: Pick<Engine, "stream">;
  readonly policy: CheckedPolicy;
  readonly breakers: BreakerRegistry;
  readonly breakerKey: (options: ClaudeOptions) => string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Epoch milliseconds; `Infinity` for none. */
  readonly deadline: number;
}

/** Runs a turn in as many attempts as the policy allows. Every attempt's events are passed on; there is one end. */
export async function* runResilientTurn(context: TurnContext, first: AttemptPlan): TurnStream {
  const { maxRetries } = context.policy.retry;
  const progress = new TurnProgress(first);
  const decide = createDecider(context, first);
  for (let attempts = 1; ; attempts += 1) {
    const attempt = yield* tryOnce(context, progress);
    if (attempt.end && !attempt.end.result.isError) return progress.toFinal(attempt.end.result);
    progress.add(attempt);
    const error = progress.lastError();
    const step = decide(error, progress, attempts);
    if (step.type === "give-up") return yield* endFailed(progress);
    if (progress.isSpent()) return yield* endFailed(progress, budgetSpent(error));

    const why = `${error.kind}: ${error.message}`;
    if (step.type === "fallback") {
      yield status(context, progress, "fallback", `continuing with ${step.model}: ${why}`);
      progress.useModel(step.model);
      attempts = maxRetries;
    } else {
      const number = `attempt ${attempts + 1} of ${maxRetries + 1}`;
      yield status(context, progress, "retrying", `${number} in ${(step.waitMs / 1000).toFixed(1)} s: ${why}`);
      const wokenAt = context.clock.now() + step.waitMs;
      const stopped = await waitUntil(wokenAt, context.clock, first.options.signal).then(() => undefined, toSkeinError);
      if (stopped) return yield* endFailed(progress, stopped);
    }
  }
}

/** Decides with what the turn has left: retries, waits, time, and one other model. */
function createDecider(
  { policy, clock, deadline, random, breakers, breakerKey }: TurnContext,
  first: AttemptPlan,
): (error: ErrorRecord, progress: TurnProgress, attempts: number) => NextStep {
  const nextDelay = createBackoff(policy.retry, random);
  let fallbackModel = policy.fallbackModel === first.options.model ? undefined : policy.fallbackModel;
  return (error, progress, attempts) => {
    const step = decideNext(error, {
      // A turn that no attempt was made for is refused at once; one that is under way has patience.
      retriesLeft: progress.hasRun() ? policy.retry.maxRetries + 1 - attempts : 0,
      delayMs: nextDelay(),
      leftMs: deadline - clock.now(),
      isRefused: progress.isRefused(),
      openForMs: breakers.get(breakerKey(progress.plan().options)).openForMs(),
      fallbackModel,
    });
    if (step.type === "fallback") fallbackModel = undefined;
    return step;
  };
}

/** One attempt, if the breaker lets it through, which is told how it ended even when the caller walks away. */
async function* tryOnce(context: TurnContext, progress: TurnProgress): AsyncGenerator<SkeinEvent, Attempt, void> {
  const plan = progress.plan();
  let permit: ReturnType<CircuitBreaker["admit"]>;
  try {
    permit = context.breakers.get(context.breakerKey(plan.options)).admit();
  } catch (thrown) {
    return { hasDoneWork: false, thrown };
  }
  let outcome: BreakerOutcome = "neutral";
  const sessionId = progress.workSession();
  try {
    const detail = `the turn had done work: continuing in session ${sessionId}`;
    if (sessionId) yield status(context, progress, "resuming", detail);
    const attempt = yield* runAttempt(context.engine, plan, (result) => {
      outcome = "success";
      return progress.toFinal(result);
    });
    outcome = outcomeOf(attempt);
    return attempt;
  } finally {
    permit.report(outcome);
  }
}

function outcomeOf({ end, thrown }: Attempt): BreakerOutcome {
  if (end && !end.result.isError) return "success";
  const error = thrown === undefined ? end?.result.error : toSkeinError(thrown).toJSON();
  return error ? outcomeOfFailure(error) : "neutral";
}

function budgetSpent(error: ErrorRecord): SkeinError {
  return new SkeinError(`The turn failed with its budget spent: ${error.message}`, {
    kind: "budget",
    hint: "Raise `maxCostUsd` or `maxTokens`, or resume the session to continue.",
  });
}

async function* endFailed(progress: TurnProgress, reason?: SkeinError): TurnStream {
  const end = progress.toFailedEnd(reason);
  yield end;
  return end.result;
}

function status({ clock }: TurnContext, progress: TurnProgress, word: string, detail: string): SkeinEvent {
  const about = defined({ sessionId: progress.workSession() });
  return { type: "status", timestamp: isoTime(clock.now()), ...about, status: word, detail };
}

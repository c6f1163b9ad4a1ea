import { ExponentialBackoff, type IBackoff } from "cockatiel";
import type { ErrorKind, ErrorRecord } from "../../core/index.ts";
import type { BreakerOutcome } from "./circuit-breaker.ts";
import type { RetryPolicy } from "./resilience-policy.ts";

/** What follows a failed attempt. */
export type NextStep =
  | { readonly type: "retry"; readonly waitMs: number }
  | { readonly type: "fallback"; readonly model: string }
  | { readonly type: "give-up" };

/** What the decision depends on, beside the error. */
export interface Standing {
  /** Attempts that are left, the fallback's not counted. */
  readonly retriesLeft: number;
  /** The wait that the policy has next. */
  readonly delayMs: number;
  readonly leftMs: number;
  /** Whether the breaker refused the attempt. */
  readonly isRefused: boolean;
  /** How long the breaker will still refuse; 0 unless it is open. */
  readonly openForMs: number;
  /** The model that has not been tried yet, where there is one. */
  readonly fallbackModel?: string | undefined;
}

/** Decides what follows a failed attempt. An open breaker is not waited for where another model can be had at once. */
export function decideNext(error: ErrorRecord, standing: Standing): NextStep {
  if (!isWorthRetrying(error) || standing.leftMs <= 0) return { type: "give-up" };
  const fallbackModel = isWorthAnotherModel(error) ? standing.fallbackModel : undefined;
  const waitMs = Math.max(standing.delayMs, askedWaitMs(error), standing.openForMs);
  const isShut = standing.isRefused || standing.openForMs > 0;
  const canWait = standing.retriesLeft > 0 && waitMs < standing.leftMs;
  if (canWait && !(isShut && fallbackModel !== undefined)) return { type: "retry", waitMs };
  return fallbackModel === undefined ? { type: "give-up" } : { type: "fallback", model: fallbackModel };
}

/** Kinds that are about the endpoint, and so count against it. */
const ENDPOINT_KINDS: ReadonlySet<ErrorKind> = new Set(["overloaded", "server", "rate_limit", "network", "timeout"]);

/** Kinds for which another model may do. */
const MODEL_KINDS: ReadonlySet<ErrorKind> = new Set(["overloaded", "server", "rate_limit"]);

/** Whether the same turn may get through later. A limit that the caller set on the turn is meant, and not tried again. */
function isWorthRetrying(error: ErrorRecord): boolean {
  return error.retryable && error.kind !== "cancelled" && !isOwnLimit(error);
}

/** Whether another model may get through now. */
function isWorthAnotherModel(error: ErrorRecord): boolean {
  return error.retryable && MODEL_KINDS.has(error.kind);
}

/** What a failed attempt says about its endpoint. */
export function outcomeOfFailure(error: ErrorRecord): BreakerOutcome {
  return ENDPOINT_KINDS.has(error.kind) && !isOwnLimit(error) ? "failure" : "neutral";
}

/** How long the API, or an open breaker, asked to wait. */
function askedWaitMs(error: ErrorRecord): number {
  const askedMs = error["retryAfterMs"];
  return typeof askedMs === "number" ? askedMs : 0;
}

/** Of the limits, silence alone is the endpoint's. */
function isOwnLimit(error: ErrorRecord): boolean {
  return error.kind === "timeout" && error["reason"] !== "idle";
}

/** With jitter, no wait is shorter: what failed a moment ago will fail again. */
const LEAST_MS = 100;

/**
 * Gives the waits of one turn, each longer than the one before, up to the limit. cockatiel keeps the count; its own generators draw from
 * `Math.random`, so ours is given.
 */
export function createBackoff(policy: RetryPolicy, random: () => number = Math.random): () => number {
  const factory = new ExponentialBackoff<number>({
    initialDelay: policy.baseDelayMs,
    maxDelay: policy.maxDelayMs,
    exponent: policy.factor,
    generator: (attempts = 0, { initialDelay, exponent, maxDelay }) => {
      const delayMs = Math.min(maxDelay, initialDelay * exponent ** attempts);
      const spread = 1 + policy.jitter * (2 * random() - 1);
      return [Math.max(Math.min(LEAST_MS, policy.baseDelayMs), Math.round(delayMs * spread)), attempts + 1];
    },
  });
  let present: IBackoff<unknown> | undefined;
  return () => {
    present = present ? present.next(undefined) : factory.next();
    return present.duration;
  };
}

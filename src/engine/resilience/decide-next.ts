import { isOwnTimeLimit, isRetryable, type ErrorKind, type ErrorRecord } from "../../core/internal.ts";
import type { BreakerOutcome } from "./circuit-breaker.ts";
import type { RetryPolicy } from "./resilience-policy.ts";

export type NextStep =
  | { readonly type: "retry"; readonly waitMs: number }
  | { readonly type: "fallback"; readonly model: string }
  | { readonly type: "give-up" };

export interface Standing {
  /** Attempts that are left, the fallback's not counted. */
  readonly retriesLeft: number;
  readonly delayMs: number;
  readonly leftMs: number;
  /** Whether the breaker refused the attempt. */
  readonly isRefused: boolean;
  readonly openForMs: number;
  readonly fallbackModel?: string | undefined;
}

/** Decides what follows a failed attempt. An open breaker is not waited for where another model can be had at once. */
export function decideNext(error: ErrorRecord, standing: Standing): NextStep {
  if (!isRetryable(error) || standing.leftMs <= 0) return { type: "give-up" };
  const fallbackModel = MODEL_KINDS.has(error.kind) ? standing.fallbackModel : undefined;
  const { retryAfterMs: askedMs } = error;
  const waitMs = Math.max(standing.delayMs, typeof askedMs === "number" ? askedMs : 0, standing.openForMs);
  const isShut = standing.isRefused || standing.openForMs > 0;
  const canWait = standing.retriesLeft > 0 && waitMs < standing.leftMs;
  if (canWait && !(isShut && fallbackModel !== undefined)) return { type: "retry", waitMs };
  return fallbackModel === undefined ? { type: "give-up" } : { type: "fallback", model: fallbackModel };
}

/** Kinds that are about the endpoint, and so count against it. */
const ENDPOINT_KINDS: ReadonlySet<ErrorKind> = new Set(["overloaded", "server", "rate_limit", "network", "timeout"]);

/** Kinds for which another model may do. */
const MODEL_KINDS: ReadonlySet<ErrorKind> = new Set(["overloaded", "server", "rate_limit"]);

export function outcomeOfFailure(error: ErrorRecord): BreakerOutcome {
  return ENDPOINT_KINDS.has(error.kind) && !isOwnTimeLimit(error) ? "failure" : "neutral";
}

/** With jitter, no wait is shorter: what failed a moment ago will fail again. */
const LEAST_MS = 100;

/** Gives the waits of one turn, each longer than the one before, up to the limit. */
export function createBackoff(policy: RetryPolicy, random: () => number = Math.random): () => number {
  const { baseDelayMs, factor, maxDelayMs, jitter } = policy;
  let nextMs = baseDelayMs;
  return () => {
    const delayMs = Math.min(maxDelayMs, nextMs);
    nextMs *= factor;
    const spread = 1 + jitter * (2 * random() - 1);
    return Math.max(Math.min(LEAST_MS, baseDelayMs), Math.round(delayMs * spread));
  };
}

import type { ErrorKind, ErrorRecord } from "../../core/index.ts";
import type { BreakerOutcome } from "./circuit-breaker.ts";

/** Kinds that are about the endpoint, and so count against it. */
const ENDPOINT_KINDS: ReadonlySet<ErrorKind> = new Set(["overloaded", "server", "rate_limit", "network", "timeout"]);

/** Kinds for which another model may do. */
const MODEL_KINDS: ReadonlySet<ErrorKind> = new Set(["overloaded", "server", "rate_limit"]);

/** Whether the same turn may get through later. A limit that the caller set on the turn is meant, and not tried again. */
export function isWorthRetrying(error: ErrorRecord): boolean {
  return error.retryable && error.kind !== "cancelled" && !isOwnLimit(error);
}

/** Whether another model may get through now. */
export function isWorthAnotherModel(error: ErrorRecord): boolean {
  return error.retryable && MODEL_KINDS.has(error.kind);
}

/** What a failed attempt says about its endpoint. */
export function outcomeOfFailure(error: ErrorRecord): BreakerOutcome {
  return ENDPOINT_KINDS.has(error.kind) && !isOwnLimit(error) ? "failure" : "neutral";
}

/** How long the API, or an open breaker, asked to wait. */
export function askedWaitMs(error: ErrorRecord): number {
  const askedMs = error["retryAfterMs"];
  return typeof askedMs === "number" ? askedMs : 0;
}

/** Of the limits, silence alone is the endpoint's. */
function isOwnLimit(error: ErrorRecord): boolean {
  return error.kind === "timeout" && error["reason"] !== "idle";
}

import type { ErrorRecord } from "../../core/index.ts";
import { askedWaitMs, isWorthAnotherModel, isWorthRetrying } from "./judge-failure.ts";

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
  /** Time until the deadline. */
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

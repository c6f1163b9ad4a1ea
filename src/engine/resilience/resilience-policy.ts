import { z } from "zod";
import { ClaudeConfigError, type Clock } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { EnvVariables } from "../processes/env-variables.ts";

const retry = z.strictObject({
  /** Attempts after the first. */
  maxRetries: z.int().nonnegative().default(3),
  /** The wait before the second attempt, before jitter. */
  baseDelayMs: z.number().positive().default(1000),
  /** What each wait is multiplied by to give the next. */
  factor: z.number().min(1).default(2),
  /** No wait is longer, unless the API asked for a longer one. */
  maxDelayMs: z.number().positive().default(30_000),
  /** How far a wait may be off, to both sides, as a part of it. */
  jitter: z.number().min(0).max(1).default(0.25),
});

const breaker = z.strictObject({
  /** Failures in a row that open it. */
  maxFailures: z.int().positive().default(5),
  /** How long it stays open before a turn is let through to try. */
  openMs: z.number().positive().default(60_000),
  /** Successes in a row that close it again. */
  neededSuccesses: z.int().positive().default(2),
});

const bulkhead = z.strictObject({
  /** Turns that may run at once, their waits between attempts included. */
  maxConcurrent: z.int().positive(),
  /** Turns that may wait for their place; the next one is refused. */
  maxWaiting: z.int().nonnegative().default(100),
});

const policySchema = z.object({
  retry: retry.prefault({}),
  breaker: breaker.prefault({}),
  bulkhead: bulkhead.optional(),
  fallbackModel: z.string().min(1).optional(),
  deadline: z.number().optional(),
});

/** How much is done to get a turn through. Everything has a default; a bulkhead and a fallback model only if given. */
export interface ResiliencePolicy {
  /** How often to try again, and how long to wait in between. */
  readonly retry?: z.input<typeof retry>;
  /** When an endpoint is left alone for a while. */
  readonly breaker?: z.input<typeof breaker>;
  /** How many turns may run at once. */
  readonly bulkhead?: z.input<typeof bulkhead>;
  /** The model for one last attempt, where the first model's endpoint stays overloaded, broken or rate-limited. */
  readonly fallbackModel?: string;
  /** When every turn must be over, in milliseconds since the epoch; a turn's own earlier `deadline` comes before it. */
  readonly deadline?: number;
  /** Names the breaker of a turn; by default endpoint and model, as far as the turn's own options tell them. */
  readonly breakerKey?: (options: ClaudeOptions) => string;
  /** Where `ANTHROPIC_BASE_URL` is read, for the breakers' names; the process's own by default. */
  readonly env?: EnvVariables;
  /** The machine's clock by default. */
  readonly clock?: Clock;
  /** A number from 0 up to 1, for jitter; `Math.random` by default. */
  readonly random?: () => number;
}

export type CheckedPolicy = z.output<typeof policySchema>;

export type RetryPolicy = CheckedPolicy["retry"];
export type BreakerPolicy = CheckedPolicy["breaker"];
export type BulkheadLimits = NonNullable<CheckedPolicy["bulkhead"]>;

export function checkPolicy(policy: ResiliencePolicy): CheckedPolicy {
  const parsed = policySchema.safeParse(policy);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = issue?.path.join(".") ?? "policy";
  throw new ClaudeConfigError(`The resilience policy is not valid at ${option}: ${issue?.message}`, { option });
}

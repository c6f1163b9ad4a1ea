import { z } from "zod";
import { ClaudeConfigError, type Clock } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { EnvVariables } from "../processes/env-variables.ts";

const retry = z.strictObject({
  maxRetries: z.int().nonnegative().default(3).describe("Attempts after the first"),
  baseDelayMs: z.number().positive().default(1000).describe("The wait before the second attempt, before jitter"),
  factor: z.number().min(1).default(2).describe("What each wait is multiplied by to give the next"),
  maxDelayMs: z
    .number()
    .positive()
    .default(30_000)
    .describe("No wait is longer, unless the API asked for a longer one"),
  jitter: z.number().min(0).max(1).default(0.25).describe("How far a wait may be off, to both sides, as a part of it"),
});

const breaker = z.strictObject({
  maxFailures: z.int().positive().default(5).describe("Failures in a row that open it"),
  openMs: z
    .number()
    .positive()
    .default(60_000)
    .describe("How long it stays open before a turn is let through to try, in milliseconds"),
  neededSuccesses: z.int().positive().default(2).describe("Successes in a row that close it again"),
});

const bulkhead = z.strictObject({
  maxConcurrent: z.int().positive().describe("Turns that may run at once, their waits between attempts included"),
  maxWaiting: z
    .int()
    .nonnegative()
    .default(100)
    .describe("Turns that may wait for their place; the next one is refused"),
});

/** The parts of a policy that can stand in a file. */
export const POLICY_PARTS = { retry, breaker, bulkhead } as const;

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

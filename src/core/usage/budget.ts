import { inspect } from "node:util";
import { SkeinError } from "../errors.ts";

/** What evaluations may use up, all that share it together. At least one limit is set. */
export interface Budget {
  /** When everything has to be over, in milliseconds since 1970. */
  readonly deadline?: number;
  /** Every token that is processed, by way of the cache or not: counted as by `tokensOf`. */
  readonly maxTotalTokens?: number;
  /** Every token that is read, from the cache or not: counted as by `inputTokensOf`. */
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly maxCostUsd?: number;
}

const LIMITS = ["deadline", "maxTotalTokens", "maxInputTokens", "maxOutputTokens", "maxCostUsd"] as const;

/** Checks the limits: at least one, each of them a positive number, and no unknown ones. */
export function Budget(limits: Budget): Budget {
  const given: Readonly<Record<string, unknown>> = { ...limits };
  for (const [name, value] of Object.entries(given)) {
    if (!LIMITS.some((limit) => limit === name)) throw wrong(name, `A budget has no limit called ${name}`);
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
      throw wrong(name, `The budget limit ${name} must be a positive number, not ${inspect(value)}`);
    }
  }
  if (LIMITS.every((name) => given[name] === undefined)) throw wrong("budget", "A budget needs at least one limit");
  return Object.freeze({ ...limits });
}

function wrong(target: string, message: string): SkeinError {
  return new SkeinError(message, { kind: "usage", target, hint: `Set one or more of ${LIMITS.join(", ")}` });
}

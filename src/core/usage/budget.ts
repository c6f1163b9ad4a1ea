import { inspect } from "node:util";
import { SkeinError } from "../errors.ts";

/** What turns may use up, all that share it together. At least one limit is set. */
export interface Budget {
  /** When everything has to be over, in milliseconds since 1970. */
  readonly deadline?: number;
  /** Time from the making of the tracker. */
  readonly maxDurationMs?: number;
  /** Prompts that may be run. */
  readonly maxTurns?: number;
  /** Every token that is processed, by way of the cache or not: counted as by `tokensOf`. */
  readonly maxTokens?: number;
  /** Every token that is read, from the cache or not: counted as by `inputTokensOf`. */
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly maxCostUsd?: number;
  /** What one turn may use up; where it is left out, turns that reserve are expected to need as much as the largest so far. */
  readonly perTurn?: Amounts;
  /** What one response may use up, 0 for next to nothing; where it is left out, the first turn that reserves runs alone, to find out. */
  readonly perResponse?: Amounts;
}

export interface Amounts {
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
}

const PER_TURN: readonly string[] = ["maxCostUsd", "maxTokens"] satisfies readonly (keyof Amounts)[];

const LIMITS: readonly string[] = [
  "deadline",
  "maxDurationMs",
  "maxTurns",
  "maxTokens",
  "maxInputTokens",
  "maxOutputTokens",
  "maxCostUsd",
] satisfies readonly (keyof Budget)[];

/** Checks the limits: at least one, each of them a positive number, and no unknown ones. */
export function Budget(limits: Budget): Budget {
  const { perTurn = {}, perResponse = {}, ...whole } = limits;
  check(whole, LIMITS);
  check(perTurn, PER_TURN, { within: "perTurn." });
  check(perResponse, PER_TURN, { within: "perResponse.", takesZero: true });
  const given = [...Object.values(whole), ...Object.values(perTurn)];
  if (given.every((value) => value === undefined)) throw wrong("budget", "A budget needs at least one limit");
  return Object.freeze({ ...limits });
}

function check(limits: object, names: readonly string[], { within = "", takesZero = false } = {}): void {
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    const target = within + name;
    if (!names.includes(name)) throw wrong(target, `A budget has no limit called ${target}`);
    if (value === undefined) continue;
    if (typeof value === "number" && Number.isFinite(value) && (value > 0 || (takesZero && value === 0))) continue;
    const least = takesZero ? "0 or more" : "a positive number";
    throw wrong(target, `The budget limit ${target} must be ${least}, not ${inspect(value)}`);
  }
}

function wrong(target: string, message: string): SkeinError {
  return new SkeinError(message, { kind: "usage", target, hint: `Set one or more of ${LIMITS.join(", ")}` });
}

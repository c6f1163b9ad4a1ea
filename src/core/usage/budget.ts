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

/** Money and tokens. */
export interface Amounts {
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
}

const LIMITS = [
  "deadline",
  "maxDurationMs",
  "maxTurns",
  "maxTokens",
  "maxInputTokens",
  "maxOutputTokens",
  "maxCostUsd",
] as const satisfies readonly (keyof Budget)[];

/** Checks the limits: at least one, each of them a positive number, and no unknown ones. */
export function Budget(limits: Budget): Budget {
  const { perTurn = {}, perResponse = {}, ...whole } = limits;
  check(whole, { names: LIMITS, least: "a positive number", isFit: (value) => value > 0 });
  check(perTurn, { names: PER_TURN, within: "perTurn.", least: "a positive number", isFit: (value) => value > 0 });
  check(perResponse, { names: PER_TURN, within: "perResponse.", least: "0 or more", isFit: (value) => value >= 0 });
  const given = [...Object.values(whole), ...Object.values(perTurn)];
  if (given.every((value) => value === undefined)) throw wrong("budget", "A budget needs at least one limit");
  return Object.freeze({ ...limits });
}

const PER_TURN = ["maxCostUsd", "maxTokens"] as const satisfies readonly (keyof Amounts)[];

interface Rule {
  readonly names: readonly string[];
  readonly within?: string;
  readonly least: string;
  readonly isFit: (value: number) => boolean;
}

function check(limits: object, { names, within = "", least, isFit }: Rule): void {
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    const target = within + name;
    if (!names.includes(name)) throw wrong(target, `A budget has no limit called ${target}`);
    if (value === undefined || (typeof value === "number" && Number.isFinite(value) && isFit(value))) continue;
    throw wrong(target, `The budget limit ${target} must be ${least}, not ${inspect(value)}`);
  }
}

function wrong(target: string, message: string): SkeinError {
  return new SkeinError(message, { kind: "usage", target, hint: `Set one or more of ${LIMITS.join(", ")}` });
}

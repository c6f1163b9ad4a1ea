import { addUsage, NO_USAGE, sumMicroUsd, type MicroUsd, type Usage } from "../../core/internal.ts";
import type { Outcome } from "../record/transition-file.ts";

/** Sums over turns, and over the rewards of states, in a form in which those of several workspaces can be put together. */
export interface Figures {
  readonly turns: number;
  /** When the first of the turns was recorded; infinity where there is none. */
  readonly firstAtMs: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly usage: Usage;
  readonly paidMicroUsd: MicroUsd;
  /** What the turns of the offline model would have cost by the price list. */
  readonly offlineMicroUsd: MicroUsd;
  /** How long each turn took, in no order. */
  readonly durationsMs: readonly number[];
  /** Turns that failed or were interrupted, by the kind of their error. */
  readonly errors: ReadonlyMap<string, number>;
  readonly tools: ReadonlyMap<string, ToolFigures>;
  readonly rewards: ReadonlyMap<string, RewardFigures>;
  /** States from which more than one of the turns began. */
  readonly branchPoints: number;
  /** The turns that began from those. */
  readonly branches: number;
}

/** How often a tool was called. */
export interface ToolFigures {
  readonly calls: number;
  /** Calls that failed or were denied. */
  readonly errors: number;
}

/** The rewards of one name. */
export interface RewardFigures {
  /** All of them, in no order. */
  readonly values: readonly number[];
  /** The highest. */
  readonly best: BestReward;
}

/** A reward, and the state that has it. */
export interface BestReward {
  readonly value: number;
  readonly stateId: string;
  /** The store that the state is in; empty until it is said. */
  readonly store: string;
}

/** Which turns are summed up: those of each span of time, apart. */
export interface FiguresQuery {
  /** Milliseconds since the epoch: from the first, up to before the second. */
  readonly spans: readonly (readonly [sinceMs: number, untilMs: number])[];
  readonly model?: string | undefined;
  /** Whether each model's turns are summed up apart. */
  readonly isByModel?: boolean | undefined;
  /** States that are counted elsewhere. */
  readonly without?: readonly string[] | undefined;
}

/** The figures of one span, and of one model where they were asked for apart. */
export interface FigureGroup {
  /** The span's place among those asked for. */
  readonly span: number;
  readonly model: string | undefined;
  readonly figures: Figures;
}

export const NO_FIGURES: Figures = {
  turns: 0,
  firstAtMs: Number.POSITIVE_INFINITY,
  outcomes: { completed: 0, failed: 0, cancelled: 0, interrupted: 0 },
  usage: NO_USAGE,
  paidMicroUsd: 0 as MicroUsd,
  offlineMicroUsd: 0 as MicroUsd,
  durationsMs: [],
  errors: new Map(),
  tools: new Map(),
  rewards: new Map(),
  branchPoints: 0,
  branches: 0,
};

/** Puts the figures of different turns together. */
export function addFigures(left: Figures, right: Figures): Figures {
  const outcome = (name: Outcome): number => left.outcomes[name] + right.outcomes[name];
  return {
    turns: left.turns + right.turns,
    firstAtMs: Math.min(left.firstAtMs, right.firstAtMs),
    outcomes: {
      completed: outcome("completed"),
      failed: outcome("failed"),
      cancelled: outcome("cancelled"),
      interrupted: outcome("interrupted"),
    },
    usage: addUsage(left.usage, right.usage),
    paidMicroUsd: sumMicroUsd([left.paidMicroUsd, right.paidMicroUsd]),
    offlineMicroUsd: sumMicroUsd([left.offlineMicroUsd, right.offlineMicroUsd]),
    durationsMs: join(left.durationsMs, right.durationsMs),
    errors: merge(left.errors, right.errors, (one, other) => one + other),
    tools: merge(left.tools, right.tools, (one, other) => ({
      calls: one.calls + other.calls,
      errors: one.errors + other.errors,
    })),
    rewards: merge(left.rewards, right.rewards, (one, other) => ({
      values: join(one.values, other.values),
      best: other.best.value > one.best.value ? other.best : one.best,
    })),
    branchPoints: left.branchPoints + right.branchPoints,
    branches: left.branches + right.branches,
  };
}

/** There may be a hundred thousand: they are copied only where there are others. */
function join(left: readonly number[], right: readonly number[]): readonly number[] {
  if (left.length === 0 || right.length === 0) return left.length === 0 ? right : left;
  return left.concat(right);
}

function merge<Value>(
  left: ReadonlyMap<string, Value>,
  right: ReadonlyMap<string, Value>,
  add: (one: Value, other: Value) => Value,
): ReadonlyMap<string, Value> {
  const merged = new Map(left);
  for (const [key, value] of right) {
    const known = merged.get(key);
    merged.set(key, known === undefined ? value : add(known, value));
  }
  return merged;
}

/** What is counted of a turn, wherever it is known from. */
export interface CountedTurn extends Usage {
  readonly outcome: Outcome;
  readonly errorKind?: string;
  /** The scenario of the offline model, where that gave every response: then nobody paid the money. */
  readonly scenario?: string;
  readonly costMicroUsd: MicroUsd;
  readonly durationMs: number;
  readonly tools: readonly (ToolFigures & { readonly tool: string })[];
}

/** The figures of one turn. */
export function figuresOfTurn(turn: CountedTurn, firstAtMs: number): Figures {
  const { outcome, errorKind = outcome, costMicroUsd, scenario, durationMs, tools } = turn;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = turn;
  const isError = outcome === "failed" || outcome === "interrupted";
  const nothing = 0 as MicroUsd;
  return {
    ...NO_FIGURES,
    turns: 1,
    firstAtMs,
    outcomes: { ...NO_FIGURES.outcomes, [outcome]: 1 },
    usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens },
    paidMicroUsd: scenario === undefined ? costMicroUsd : nothing,
    offlineMicroUsd: scenario === undefined ? nothing : costMicroUsd,
    durationsMs: [durationMs],
    errors: new Map(isError ? [[errorKind, 1]] : []),
    tools: new Map(tools.map(({ tool, calls, errors }) => [tool, { calls, errors }])),
  };
}

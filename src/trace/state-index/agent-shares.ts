import { addUsage, microUsd, NO_USAGE, sumMicroUsd, type MicroUsd, type Usage } from "../../core/internal.ts";
import type { Ledger } from "../record/transition-file.ts";

/** The part that one agent, or the sub-agents of one type together, had in a turn. */
export interface AgentShare {
  /** `main`, or the role that the main conversation has in a team; a sub-agent's is `Agent(type)`. */
  readonly agent: string;
  readonly costMicroUsd: MicroUsd;
  readonly usage: Usage;
}

/** What an agent came to in a span of time. */
export interface AgentFigures {
  /** The span's place among those asked for. */
  readonly span: number;
  readonly agent: string;
  /** The turns in which it did something. */
  readonly turns: number;
  readonly usage: Usage;
  readonly paidMicroUsd: MicroUsd;
  /** What it would have cost by the price list where the offline model answered. */
  readonly offlineMicroUsd: MicroUsd;
}

const ROLES: ReadonlySet<unknown> = new Set(["manager", "worker"]);

/** Divides a turn among its agents: the parts together are the turn. What its record says of sub-agents beyond what the turn came to is not believed. */
export function divideTurn(
  turn: Usage & { readonly costUsd: number },
  { agents = {}, role }: { readonly agents?: Ledger["agents"] | undefined; readonly role?: unknown } = {},
): readonly AgentShare[] {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = turn;
  let left: Usage = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  let leftMicroUsd = microUsd(turn.costUsd);
  const shares = Object.entries(agents).map(([type, { costUsd, ...told }]): AgentShare => {
    const usage = atMost(told, left);
    const costMicroUsd = Math.min(microUsd(costUsd), leftMicroUsd) as MicroUsd;
    left = minus(left, usage);
    leftMicroUsd = (leftMicroUsd - costMicroUsd) as MicroUsd;
    return { agent: type === "" ? "Agent" : `Agent(${type})`, costMicroUsd, usage };
  });
  const main = typeof role === "string" && ROLES.has(role) ? role : "main";
  return [{ agent: main, costMicroUsd: leftMicroUsd, usage: left }, ...shares];
}

/** Puts the figures of several workspaces together. */
export function addShares(figures: readonly AgentFigures[]): readonly AgentFigures[] {
  const sums = new Map<string, AgentFigures>();
  for (const each of figures) {
    const key = `${each.span} ${each.agent}`;
    const known = sums.get(key) ?? {
      ...each,
      turns: 0,
      usage: NO_USAGE,
      paidMicroUsd: NOTHING,
      offlineMicroUsd: NOTHING,
    };
    sums.set(key, {
      ...known,
      turns: known.turns + each.turns,
      usage: addUsage(known.usage, each.usage),
      paidMicroUsd: sumMicroUsd([known.paidMicroUsd, each.paidMicroUsd]),
      offlineMicroUsd: sumMicroUsd([known.offlineMicroUsd, each.offlineMicroUsd]),
    });
  }
  return [...sums.values()];
}

const NOTHING = 0 as MicroUsd;

function atMost(one: Usage, other: Usage): Usage {
  return combine(one, other, Math.min);
}

function minus(one: Usage, other: Usage): Usage {
  return combine(one, other, (left, right) => left - right);
}

function combine(one: Usage, other: Usage, by: (left: number, right: number) => number): Usage {
  return {
    inputTokens: by(one.inputTokens, other.inputTokens),
    outputTokens: by(one.outputTokens, other.outputTokens),
    cacheReadTokens: by(one.cacheReadTokens, other.cacheReadTokens),
    cacheWriteTokens: by(one.cacheWriteTokens, other.cacheWriteTokens),
  };
}

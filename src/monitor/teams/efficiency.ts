import type { ReadTeam } from "./read-team.ts";

/** How well a team works together. Shares of nothing are undefined. */
export interface Efficiency {
  /** Workers' turns. */
  readonly rounds: number;
  /** Items whose work was approved: merged, or about to be. */
  readonly approved: number;
  readonly approvedPerRound: number | undefined;
  /** The shares of the rounds that were sent back, by who did. */
  readonly sentBackByEvidence: number | undefined;
  readonly sentBackByGates: number | undefined;
  readonly sentBackByManager: number | undefined;
  /** The manager's share of what everything cost. */
  readonly managerCostShare: number | undefined;
}

/** Says how well a team works together, by what was recorded of it. */
export function efficiencyOf({
  story: { items, rounds },
  costUsd,
  managerCostUsd,
}: Pick<ReadTeam, "story" | "costUsd" | "managerCostUsd">): Efficiency {
  const done = rounds.filter(({ finishedAt }) => finishedAt !== undefined);
  const share = (part: number, whole: number): number | undefined => (whole > 0 ? part / whole : undefined);
  const sentBack = (judge: string): number | undefined =>
    share(done.filter(({ by, verdict }) => by === judge && verdict?.approved === false).length, done.length);
  const approved = items.filter(({ status }) => status === "merged" || status === "integrating").length;
  return {
    rounds: done.length,
    approved,
    approvedPerRound: share(approved, done.length),
    sentBackByEvidence: sentBack("evidence"),
    sentBackByGates: sentBack("gates"),
    sentBackByManager: sentBack("manager"),
    managerCostShare: share(managerCostUsd, costUsd),
  };
}

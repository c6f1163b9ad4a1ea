import { z } from "zod";
import { microUsd, sumMicroUsd, toUsd } from "../../core/internal.ts";
import { formatUsd } from "../../terminal/index.ts";

/** What a sum of money says: what was paid, and beside it what nobody paid. */
export const costFields = {
  cost_usd: z.number().meta({
    description: "What was paid; turns of the offline model are in it only with --include-offline",
  }),
  offline_cost_usd: z.number().meta({
    description: "What the turns of the offline model would have cost by the price list",
  }),
  includes_offline: z.boolean().meta({ description: "Whether cost_usd counts the turns of the offline model too" }),
};

type CostData = z.infer<z.ZodObject<typeof costFields>>;

interface Costs {
  readonly costUsd: number;
  readonly offlineCostUsd: number;
}

/** Sums as the envelope has them. */
export function toCostData({ costUsd, offlineCostUsd }: Costs, includesOffline = false): CostData {
  const all = includesOffline ? [costUsd, offlineCostUsd] : [costUsd];
  return {
    cost_usd: toUsd(sumMicroUsd(all.map(microUsd))),
    offline_cost_usd: offlineCostUsd,
    includes_offline: includesOffline,
  };
}

/** A sum for people: what it leaves out is said. */
export function paidText({ cost_usd: cost, offline_cost_usd: offline, includes_offline: isCounted }: CostData): string {
  if (offline === 0) return formatUsd(cost);
  if (isCounted) return `${formatUsd(cost)} by price list, offline turns counted`;
  return cost === 0 ? "nothing paid: offline" : `${formatUsd(cost)}, offline turns left out`;
}

/** What some turns cost together, for people. */
export function paidSum(turns: Parameters<typeof sumCosts>[0]): string {
  return paidText(toCostData(sumCosts(turns)));
}

/** The sums of some turns: a turn with a scenario was the offline model's. */
export function sumCosts(turns: readonly { readonly costUsd: number; readonly scenario?: string }[]): Costs {
  const sum = (isWanted: (scenario: string | undefined) => boolean): number =>
    toUsd(sumMicroUsd(turns.filter(({ scenario }) => isWanted(scenario)).map(({ costUsd }) => microUsd(costUsd))));
  return {
    costUsd: sum((scenario) => scenario === undefined),
    offlineCostUsd: sum((scenario) => scenario !== undefined),
  };
}

import type { SkeinEvent, UsageEvent } from "../events/event.ts";
import { emptyRecord } from "../records.ts";
import { estimateCostUsd } from "./price-table.ts";
import { NO_SPENDING, spendingOf, sumSpending, type Spending } from "./spending.ts";
import { addUsage, NO_USAGE, type Usage } from "./usage.ts";

export type ToldUsage = Pick<UsageEvent, "type" | "messageId" | "model" | "usage" | "isFinal" | "stopReason">;

/** Counts what turns use while they run: each response once, by its message id. A turn that has ended counts by its result. */
export interface UsageMeter {
  /** Takes an event of a turn; one that tells of no usage, or of one that was told, changes nothing. */
  read(event: SkeinEvent | ToldUsage): void;
  /** What was used so far. The money of a turn that still runs is reckoned by the price list. */
  spent(): Spending;
  /** Tokens of the turn that runs, or was killed before its result, by model. */
  byModel(): Readonly<Record<string, Usage>>;
}

/** Makes a meter; hand it every event of the turns it counts. */
export function createUsageMeter(): UsageMeter {
  const responses = new Map<string, ToldUsage>();
  let settled = NO_SPENDING;
  return {
    read(event) {
      if (event.type === "usage") {
        // A whole message repeats the counts that it began with: the larger is the later.
        const known = responses.get(event.messageId)?.usage.outputTokens ?? 0;
        const outputTokens = Math.max(known, event.usage.outputTokens);
        responses.set(event.messageId, { ...event, usage: { ...event.usage, outputTokens } });
      }
      if (event.type === "turn-end") {
        responses.clear();
        settled = sumSpending([settled, spendingOf(event.result)]);
      }
    },
    spent: () => sumSpending([settled, ...[...responses.values()].map(toSpending)]),
    byModel() {
      const sums = emptyRecord<Usage>();
      for (const { model, usage } of responses.values()) sums[model] = addUsage(sums[model] ?? NO_USAGE, usage);
      return sums;
    },
  };
}

function toSpending({ model, usage }: ToldUsage): Spending {
  return { ...usage, costUsd: estimateCostUsd(model, usage), turns: 0, responses: 1 };
}

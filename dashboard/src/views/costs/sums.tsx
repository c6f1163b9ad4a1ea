import type { ReactNode } from "react";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { countText, durationText, moneyText, tokensText } from "../../parts/format.ts";
import styles from "./costs.module.css";

/** The figures of the whole span in one line. */
export function Sums({
  answer: { total, skipped },
  isOfflineCounted,
}: {
  readonly answer: Api.MetricsAnswer;
  readonly isOfflineCounted: boolean;
}): ReactNode {
  const { usage, turn_time: time, error_rate: errors, cache_hit_share: cached } = total;
  const tokens = Object.values(usage).reduce((sum, count) => sum + count, 0);
  const figures: readonly (readonly [name: string, value: string, more: string])[] = [
    [
      isOfflineCounted ? "Paid, and by the price list" : "Paid",
      moneyText(total.cost_usd),
      offlineText(total, isOfflineCounted),
    ],
    [
      "Turns",
      total.turns.toLocaleString("en-US"),
      `${total.failed + total.interrupted} failed, ${total.cancelled} cancelled`,
    ],
    [
      "Failed",
      errors === null ? "–" : `${(errors * 100).toFixed(1)} %`,
      countText(total.errors.length, "kind of error", "kinds of error"),
    ],
    [
      "Half of the turns take",
      durationText(time?.p50_ms),
      time === null ? "" : `at most; 95 of 100 ${durationText(time.p95_ms)}`,
    ],
    [
      "Tokens",
      tokensText(tokens),
      cached === null ? "" : `${Math.round(cached * 100)} % of those read came from the cache`,
    ],
    ["Tool calls", total.tool_calls.toLocaleString("en-US"), `${total.tool_errors} failed or denied`],
  ];
  return (
    <>
      <dl className={styles["sums"]}>
        {figures.map(([name, value, more]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{value}</b>
              <span className="quiet small">{more}</span>
            </dd>
          </div>
        ))}
      </dl>
      {skipped.length > 0 && (
        <p className={styles["skipped"]} role="alert">
          {countText(skipped.length, "workspace")} cannot be read and {skipped.length === 1 ? "is" : "are"} in no
          figure: {skipped.map(({ workspace, message }) => `${workspace} (${message})`).join("; ")}
        </p>
      )}
    </>
  );
}

/** Nobody paid for offline turns: what they would have cost is never silently among what was paid. */
function offlineText({ offline_cost_usd: costUsd }: Api.MetricsData, isCounted: boolean): string {
  if (costUsd === 0) return "no turns of the offline model";
  return isCounted ? `of it ${moneyText(costUsd)} offline, not paid` : `and ${moneyText(costUsd)} offline, not paid`;
}

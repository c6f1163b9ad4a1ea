import { useMemo, type ReactNode } from "react";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { useSetParams } from "../../data/url.ts";
import { baseName, moneyText, tokensText } from "../../parts/format.ts";
import { Select } from "../../parts/select.tsx";
import { AlertList } from "./alert-list.tsx";
import { tokensByKind, type Bucket, type ChartData } from "./chart-data.ts";
import { Chart } from "./chart.tsx";
import { SessionsChart } from "./sessions-chart.tsx";
import { useAgentCosts, useCosts, type GroupBy, type Shown } from "./use-figures.ts";
import { spanOf } from "./span.ts";

const WHATS: Readonly<Record<GroupBy, string>> = { model: "model", workspace: "project", agent: "agent" };

/** What was spent, and on what. */
export function MoneyCharts({
  shown,
  by,
  answer,
  total,
}: {
  readonly shown: Shown;
  readonly by: GroupBy;
  readonly answer: Api.MetricsAnswer;
  readonly total: readonly Bucket[];
}): ReactNode {
  const set = useSetParams();
  const names = useMemo(() => spenders(answer), [answer]);
  const byName = useCosts(shown, { by, names: by === "agent" ? [] : names, total });
  const byAgent = useAgentCosts(shown, { isShown: by === "agent", total });
  const costs = by === "agent" ? byAgent : byName;
  const named = useMemo(
    () => (by !== "workspace" ? costs : { ...costs, series: costs.series.map(baseName) }),
    [by, costs],
  );
  const tokens = useMemo(() => tokensByKind(total), [total]);
  const { bucket } = spanOf(shown.span, 0);
  const part = bucket === "hour" ? "an hour" : "a day";
  return (
    <>
      <Chart
        title={`What does ${part} cost, by ${WHATS[by]}?`}
        controls={
          <Select
            label="By"
            value={by}
            choices={[
              { value: "model", label: "model" },
              { value: "workspace", label: "project" },
              { value: "agent", label: "agent" },
            ]}
            onChange={(next) => set({ by: next === "model" ? undefined : next })}
          />
        }
        data={named}
        bucket={bucket}
        format={moneyText}
        columnFormat={moneyColumn(costs)}
        empty={
          answer.total.offline_cost_usd > 0
            ? "Nothing was paid: the offline model answered all of these turns."
            : "Nothing was paid in this time."
        }
      />
      <Chart
        title={`How many tokens does ${part} take?`}
        data={tokens}
        bucket={bucket}
        format={tokensText}
        empty="No tokens were used."
      />
      {bucket === "day" && <SessionsChart shown={shown} total={total} />}
      <AlertList />
    </>
  );
}

/** Amounts with the same digits in a column: ten-thousandths only where a dollar is much. */
function moneyColumn({ rows }: ChartData): (costUsd: number) => string {
  const most = Math.max(...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return (costUsd) => `$${costUsd.toFixed(most < 1 ? 4 : 2)}`;
}

/** Those who cost most, first. */
function spenders({ groups }: Api.MetricsAnswer): readonly string[] {
  return groups
    .filter(({ metrics }) => metrics.cost_usd > 0)
    .toSorted((left, right) => right.metrics.cost_usd - left.metrics.cost_usd)
    .map(({ key }) => key);
}

import { useMemo, type ReactNode } from "react";
import { moneyText } from "../../parts/format.ts";
import { Answered } from "../../parts/note.tsx";
import { usageByDay, type Bucket } from "./chart-data.ts";
import { Chart } from "./chart.tsx";
import { useSessionUsage, type Shown } from "./use-figures.ts";

/** What all sessions of Claude Code's come to, those that Skein did not start too: by the price list, as transcripts tell tokens alone. */
export function SessionsChart({
  shown,
  total,
}: {
  readonly shown: Shown;
  readonly total: readonly Bucket[];
}): ReactNode {
  const usage = useSessionUsage(shown);
  return (
    <Answered query={usage} what="what sessions used">
      {({ rows, unpriced_models: unpriced }) => <Days rows={rows} total={total} unpriced={unpriced} />}
    </Answered>
  );
}

function Days({
  rows,
  total,
  unpriced,
}: {
  readonly rows: Parameters<typeof usageByDay>[0];
  readonly total: readonly Bucket[];
  readonly unpriced: readonly string[];
}): ReactNode {
  const data = useMemo(() => usageByDay(rows, total), [rows, total]);
  const more = unpriced.length === 0 ? "" : `; without ${unpriced.join(", ")}, whose prices are not known`;
  return (
    <Chart
      title="What do all sessions cost a day?"
      controls={<span className="quiet small">those outside Skein too, by the price list{more}</span>}
      data={data}
      bucket="day"
      format={moneyText}
      empty="No session was paid for in this time."
    />
  );
}

import { useMemo, type ReactNode } from "react";
import { durationText } from "../../parts/format.ts";
import { Answered } from "../../parts/note.tsx";
import { callsByTool, errorsByKind, turnTimes, type Bucket } from "./chart-data.ts";
import { Chart } from "./chart.tsx";
import { Heatmap } from "./heatmap.tsx";
import { heatmapDays, spanOf } from "./span.ts";
import { useHeatmap, type Shown } from "./use-figures.ts";

const count = (value: number): string => value.toLocaleString("en-US");

/** How well it went: how long turns took, what failed, which tools were called, and when. */
export function WorkCharts({ shown, total }: { readonly shown: Shown; readonly total: readonly Bucket[] }): ReactNode {
  const heatmap = useHeatmap(shown);
  const times = useMemo(() => turnTimes(total), [total]);
  const errors = useMemo(() => errorsByKind(total), [total]);
  const tools = useMemo(() => callsByTool(total), [total]);
  const { bucket } = spanOf(shown.span, 0);
  const days = heatmapDays(shown.span);
  const part = bucket === "hour" ? "an hour" : "a day";
  return (
    <>
      <Chart
        title="How long do turns take?"
        data={times}
        kind="lines"
        bucket={bucket}
        format={durationText}
        empty="No turn ended in this time."
      />
      <Chart
        title={`How many turns fail ${part}, and why?`}
        data={errors}
        bucket={bucket}
        format={count}
        empty="No turn failed."
      />
      <Chart
        title={`Which tools does ${part} call?`}
        data={tools}
        bucket={bucket}
        format={count}
        empty="No tool was called."
      />
      <Answered query={heatmap} what="the hours">
        {({ hours }) => (
          <Heatmap hours={hours} note={days === undefined ? "Turns" : `Turns of the last ${days} days`} />
        )}
      </Answered>
    </>
  );
}

import { useEffect, useRef, useState, type ReactNode } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "../../theme/use-theme.ts";
import type { ChartData } from "./chart-data.ts";
import { labelOf } from "./labels.ts";
import styles from "./costs.module.css";
import { inkOf, type Ink } from "./ink.ts";

export interface PlotProps {
  readonly data: ChartData;
  readonly kind: "bars" | "lines";
  readonly bucket: "hour" | "day";
  readonly format: (value: number) => string;
}

const HEIGHT = 200;

/** A plot of hours or days: bars that stand on each other, or lines; what is under the pointer is told in figures. */
export function Plot({ data, kind, bucket, format }: PlotProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<{ readonly place: number; readonly left: number } | undefined>();
  const look = useLook();
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const options = optionsOf(
      { data, kind, bucket, format },
      { width: current.clientWidth, ink: inkOf(current, look) },
    );
    const hover = (plot: uPlot): void => {
      const { idx, left } = plot.cursor;
      setHovered(typeof idx === "number" && left !== undefined && left >= 0 ? { place: idx, left } : undefined);
    };
    const plot = new uPlot({ ...options, hooks: { setCursor: [hover] } }, pointsOf(data, kind), current);
    const observer = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: HEIGHT }));
    observer.observe(current);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, kind, bucket, format, look]);
  return (
    <div ref={box} className={styles["plot"]} aria-hidden>
      {hovered && <Told {...{ data, bucket, format }} place={hovered.place} left={hovered.left} />}
    </div>
  );
}

function Told({
  data: { rows, series },
  bucket,
  format,
  place,
  left,
}: Omit<PlotProps, "kind"> & { readonly place: number; readonly left: number }): ReactNode {
  const row = rows[place];
  if (!row) return null;
  const isRight = left > (rows.length > 1 ? 400 : 0);
  return (
    <div className={styles["told"]} style={isRight ? { right: `calc(100% - ${left + 40}px)` } : { left: left + 76 }}>
      <p className="quiet">{labelOf(row.from, bucket)}</p>
      {series.map((name, which) => {
        const value = row.values[which] ?? null;
        if (value === null || value === 0) return null;
        return (
          <p key={name}>
            <span className={styles["swatch"]} data-series={which % 6} />
            <span className="cut">{name}</span>
            <span className="number">{format(value)}</span>
          </p>
        );
      })}
      {row.values.every((value) => value === null || value === 0) && <p>nothing</p>}
    </div>
  );
}

/** Bars that stand on each other are drawn from the highest sum down, each over the one before. */
function pointsOf({ rows, series }: ChartData, kind: PlotProps["kind"]): uPlot.AlignedData {
  const at = rows.map(({ from }) => Date.parse(from) / 1000);
  const values = series.map((_, which) =>
    rows.map(({ values: row }) =>
      kind === "lines"
        ? (row[which] ?? null)
        : row.slice(0, which + 1).reduce<number>((sum, each) => sum + (each ?? 0), 0),
    ),
  );
  return [at, ...(kind === "bars" ? values.toReversed() : values)] as uPlot.AlignedData;
}

function optionsOf(
  { data, kind, bucket, format }: PlotProps,
  { width, ink }: { readonly width: number; readonly ink: Ink },
): uPlot.Options {
  const order = data.series.map((_, which) => which);
  const axis = { stroke: ink.text, grid: { stroke: ink.grid, width: 1 }, ticks: { show: false }, font: ink.font };
  const half = (bucket === "hour" ? 3600 : 86_400) / 2;
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false }, points: { show: kind === "lines" } },
    scales: {
      x: { range: (_, low, high) => (kind === "bars" ? [low - half, high + half] : [low, Math.max(high, low + half)]) },
      y: { range: (_, __, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 64,
        values: (_, at) => at.map((each) => axisLabel(each, bucket)),
        incrs: INCREMENTS[bucket],
      },
      { ...axis, size: 60, space: 40, values: (_, at) => at.map((each) => (each === 0 ? "0" : format(each))) },
    ],
    series: [
      {},
      ...(kind === "bars" ? order.toReversed() : order).map((which) => ({
        ...(kind === "bars"
          ? {
              fill: ink.series[which % 6] ?? ink.text,
              paths: uPlot.paths.bars?.({ size: [0.72, 36] }) as uPlot.Series.PathBuilder,
              width: 0,
            }
          : { stroke: ink.series[which % 6] ?? ink.text, width: 2, spanGaps: true }),
        points: { show: kind === "lines" && data.rows.length < 60, size: 5, fill: ink.series[which % 6] ?? ink.text },
      })),
    ],
  };
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const INCREMENTS = {
  hour: [1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR),
  day: [1, 2, 7, 14, 28, 56, 112, 224].map((days) => days * DAY),
};

function axisLabel(seconds: number, bucket: PlotProps["bucket"]): string {
  const date = new Date(seconds * 1000);
  if (bucket === "hour") return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

/** The theme as it is seen: where it follows the machine, it may change while the page is open. */
function useLook(): string {
  const theme = useTheme();
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const hear = (): void => setDark(query.matches);
    query.addEventListener("change", hear);
    return () => query.removeEventListener("change", hear);
  }, []);
  return theme === "system" ? String(isDark) : theme;
}

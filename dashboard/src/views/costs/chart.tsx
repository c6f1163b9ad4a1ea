import { lazy, Suspense, type ReactNode } from "react";
import { useSetting } from "../../data/drafts.ts";
import { sumsOf, type ChartData } from "./chart-data.ts";
import styles from "./costs.module.css";
import { labelOf } from "./labels.ts";

const Plot = lazy(async () => ({ default: (await import("./plot.tsx")).Plot }));

/** A question as a title, its answer as a plot, and the same figures as a table. */
export function Chart({
  title,
  controls,
  data,
  kind = "bars",
  bucket,
  format,
  columnFormat = format,
  empty,
}: {
  readonly title: string;
  readonly controls?: ReactNode;
  readonly data: ChartData;
  readonly kind?: "bars" | "lines";
  readonly bucket: "hour" | "day";
  readonly format: (value: number) => string;
  /** How figures are said that stand in a column. */
  readonly columnFormat?: (value: number) => string;
  /** What it says where there is nothing. */
  readonly empty: string;
}): ReactNode {
  const [isOpen, setOpen] = useSetting<boolean>(`figures:${title}`, false);
  const hasAny = data.rows.some(({ values }) => values.some((value) => value !== null && value > 0));
  return (
    <section className={styles["chart"]}>
      <header>
        <h2>{title}</h2>
        {controls}
      </header>
      {hasAny ? (
        <>
          <Suspense fallback={<div className={styles["plot"]} />}>
            <Plot data={data} kind={kind} bucket={bucket} format={format} />
          </Suspense>
          <Legend data={data} hasSums={kind === "bars"} format={format} />
          <details
            className={styles["figures"]}
            open={isOpen}
            onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
          >
            <summary>{bucket === "hour" ? "The same by hour" : "The same by day"}</summary>
            <Figures data={data} bucket={bucket} format={columnFormat} hasSums={kind === "bars"} />
          </details>
        </>
      ) : (
        <p className={`quiet ${styles["nothing"]}`}>{empty}</p>
      )}
    </section>
  );
}

function Legend({
  data,
  hasSums,
  format,
}: {
  readonly data: ChartData;
  readonly hasSums: boolean;
  readonly format: (value: number) => string;
}): ReactNode {
  const sums = sumsOf(data);
  return (
    <ul className={styles["legend"]}>
      {data.series.map((name, place) => (
        <li key={name}>
          <span className={styles["swatch"]} data-series={place % 6} />
          <span className="cut" title={name}>
            {name}
          </span>
          {hasSums && <span className="number">{format(sums[place] ?? 0)}</span>}
        </li>
      ))}
    </ul>
  );
}

function Figures({
  data,
  bucket,
  format,
  hasSums,
}: {
  readonly data: ChartData;
  readonly bucket: "hour" | "day";
  readonly format: (value: number) => string;
  readonly hasSums: boolean;
}): ReactNode {
  const rows = data.rows.filter(({ values }) => values.some((value) => value !== null && value > 0)).toReversed();
  const isSummed = hasSums && data.series.length > 1;
  return (
    <div className={styles["scroller"]} tabIndex={0} role="region" aria-label="The figures">
      <table className={styles["table"]}>
        <thead>
          <tr>
            <th scope="col">{bucket === "hour" ? "Hour" : "Day"}</th>
            {data.series.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {isSummed && <th scope="col">all</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ from, values }) => (
            <tr key={from}>
              <th scope="row">{labelOf(from, bucket)}</th>
              {values.map((value, place) => (
                <td key={place} className="number">
                  {value === null || value === 0 ? "–" : format(value)}
                </td>
              ))}
              {isSummed && (
                <td className="number">{format(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

import { useState, type ReactNode } from "react";
import { agoText, exactTime, middleCut, moneyText, shortId } from "./format.ts";
import { useNow } from "./use-now.ts";
import styles from "./facts.module.css";

/** A moment as the time since then; the exact one on hover. */
export function Time({ at }: { readonly at: string }): ReactNode {
  const nowMs = useNow();
  return (
    <time dateTime={at} title={exactTime(at)} className={styles["time"]}>
      {agoText(at, nowMs)}
    </time>
  );
}

/** An amount of money, in the digits of its column. */
export function Money({
  costUsd,
  isOffline = false,
}: {
  readonly costUsd: number | null | undefined;
  readonly isOffline?: boolean | null;
}): ReactNode {
  const title = isOffline ? "The offline model answered: nobody paid" : undefined;
  return (
    <span className={`number ${isOffline ? styles["offline"] : ""}`} title={title}>
      {moneyText(costUsd, isOffline)}
    </span>
  );
}

/** The beginning of an id; a click copies all of it. */
export function Id({ id, label = "id" }: { readonly id: string; readonly label?: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(id);
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1200);
  };
  return (
    <button type="button" className={styles["id"]} title={`Copy ${label} ${id}`} onClick={() => void copy()}>
      <span aria-hidden={isCopied}>{isCopied ? "copied" : shortId(id)}</span>
      <span className="said">{isCopied ? "" : `: copy ${label}`}</span>
    </button>
  );
}

/** A path cut in its middle, whole on hover. */
export function Path({ path, most = 48 }: { readonly path: string; readonly most?: number }): ReactNode {
  return (
    <span className="mono" title={path} dir="ltr">
      {middleCut(path, most)}
    </span>
  );
}

/** Names beside their values, in two columns. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  return (
    <dl className={styles["facts"]}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

import { CircleStop } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { useHealth } from "../../data/queries.ts";
import { useLive } from "../../data/use-live.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { Money } from "../../parts/facts.tsx";
import { baseName, durationText } from "../../parts/format.ts";
import { tellFailure } from "../../parts/tell-failure.ts";
import { isOffline } from "./is-offline.ts";
import styles from "./now.module.css";

/** The first line of a card: how it stands, where, for how long, what it uses, and that it can be stopped. */
export function RunHead({
  run,
  figures,
  costUsd = run.cost_usd,
}: {
  readonly run: RunData;
  /** What is counted while the cost is not known. */
  readonly figures?: ReactNode;
  readonly costUsd?: number | null;
}): ReactNode {
  const isGoing = run.state === "running";
  const isUnpaid = useLive(({ runs }) => isOffline(run, runs));
  return (
    <header className={styles["head"]}>
      <StateBadge state={standing(run)} />
      <span className={`cut ${styles["place"]}`} title={run.directory}>
        {baseName(run.workspace)}
        {run.directory !== run.workspace && <span className="quiet"> on a branch</span>}
      </span>
      <span className={styles["figures"]}>
        {figures}
        {costUsd !== null && <Money costUsd={costUsd} isOffline={isUnpaid} />}
        {isGoing ? (
          <Elapsed since={run.started_at} />
        ) : (
          <span className="number">{durationText(Date.parse(run.updated_at) - Date.parse(run.started_at))}</span>
        )}
      </span>
      <Interrupt run={run} />
    </header>
  );
}

/** How a run stands, as the badge names it. */
export function standing({ state, activity, is_error: isError, end_reason: reason }: RunData): string {
  if (state === "running") return activity;
  if (state === "interrupted") return "interrupted";
  if (reason === "cancelled") return "cancelled";
  return isError === true ? "failed" : "completed";
}

function Interrupt({ run: { run, state, kind } }: { readonly run: RunData }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const isReadOnly = useHealth().data?.read_only === true;
  const interrupt = async (): Promise<void> => {
    setAsked(true);
    try {
      await api.interruptRun(run);
    } catch (error) {
      setAsked(false);
      tellFailure("The run goes on", error);
    }
  };
  const what = kind === "search" || kind === "team" ? kind : "turn";
  const label = isReadOnly ? "This server is read-only: it stops nothing" : isAsked ? "Stopping…" : `Stop this ${what}`;
  return (
    <IconButton
      label={label}
      icon={<CircleStop />}
      disabled={isReadOnly || isAsked || state !== "running"}
      onClick={() => void interrupt()}
    />
  );
}

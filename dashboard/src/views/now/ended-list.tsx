import { useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { addressOf } from "../../data/url.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { Money, Time } from "../../parts/facts.tsx";
import { baseName, durationText } from "../../parts/format.ts";
import { plainLine } from "../../parts/plain.ts";
import { isOffline } from "./is-offline.ts";
import styles from "./now.module.css";
import { standing } from "./run-head.tsx";

const MOST_SHOWN = 10;

/** What ended lately, a line each. */
export function EndedList({ runs }: { readonly runs: ReadonlyMap<string, RunData> }): ReactNode {
  const ended = useMemo(() => lastEnded([...runs.values()]), [runs]);
  if (ended.length === 0) return null;
  return (
    <section className={styles["ended"]} aria-labelledby="ended">
      <header>
        <h2 id="ended">Ended lately</h2>
        <Link href={addressOf.runs()}>All runs</Link>
      </header>
      <ul>
        {ended.map((run) => (
          <li key={run.run}>
            <Link href={addressOf.run(run.run)} className={styles["endedRow"] ?? ""}>
              <StateBadge state={standing(run)} isIconOnly />
              <span className={`cut ${styles["endedWhat"]}`}>{whatOf(run)}</span>
              <span className="cut quiet small">{baseName(run.workspace)}</span>
              <span className="number quiet">
                {durationText(Date.parse(run.updated_at) - Date.parse(run.started_at))}
              </span>
              <Money costUsd={run.cost_usd} isOffline={isOffline(run, runs)} />
              <span className="quiet small">
                <Time at={run.updated_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function whatOf({ prompt, strategy, kind }: RunData): string {
  if (prompt !== null) return plainLine(prompt, 300);
  return kind === "search" ? `Search by ${strategy ?? "a strategy"}` : kind;
}

/** The last ones, without the turns of searches: those are told of by their search. */
function lastEnded(runs: readonly RunData[]): readonly RunData[] {
  const searches = new Set(
    runs.filter(({ kind }) => kind === "search" || kind === "team").map(({ process_id: id }) => id),
  );
  return runs
    .filter(({ state, kind }) => state !== "running" && kind !== "program")
    .filter(
      ({ kind, process_id: id, directory, workspace }) =>
        kind === "search" || kind === "team" || directory === workspace || !searches.has(id),
    )
    .toSorted((left, right) => Date.parse(right.updated_at) - Date.parse(left.updated_at))
    .slice(0, MOST_SHOWN);
}

import { memo, useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { addressOf } from "../../data/url.ts";
import { useRunLog } from "../../data/use-run-log.ts";
import { plainLine } from "../../parts/plain.ts";
import styles from "./now.module.css";
import { RunHead } from "./run-head.tsx";
import { glanceAtTeam } from "./team-glance.ts";

/** A team that goes on: how far its plan is, and what happened last. */
export const TeamCard = memo(function TeamCard({ run }: { readonly run: RunData }): ReactNode {
  const { lines } = useRunLog(run.run);
  const { items, merged, costUsd, last } = useMemo(() => glanceAtTeam(lines), [lines]);
  const goal = plainLine(run.prompt ?? "", 300);
  return (
    <article className={styles["card"]} data-run-card={run.run}>
      <RunHead run={run} costUsd={run.cost_usd ?? (costUsd > 0 ? costUsd : null)} />
      <Link href={addressOf.team(run.team ?? "")} className={styles["prompt"] ?? ""} title={goal}>
        {`Team: ${goal}`}
      </Link>
      <p className={styles["call"]}>
        <span className="cut">{items === 0 ? "The manager makes a plan" : `${merged} of ${items} merged`}</span>
        <span className="cut quiet">{last}</span>
      </p>
    </article>
  );
});

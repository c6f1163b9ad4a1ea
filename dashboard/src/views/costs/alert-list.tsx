import { Bell, Check } from "lucide-react";
import type { ReactNode } from "react";
import { useAlerts } from "../../data/queries.ts";
import { addressOf } from "../../data/url.ts";
import { Link } from "wouter";
import { Badge } from "../../parts/badge.tsx";
import { Time } from "../../parts/facts.tsx";
import { Answered } from "../../parts/note.tsx";
import styles from "./costs.module.css";

const MOST_SHOWN = 8;

/** Alerts that hold, then those that were over last. */
export function AlertList(): ReactNode {
  const query = useAlerts();
  return (
    <section className={styles["chart"]}>
      <header>
        <h2>Is anything out of bounds?</h2>
      </header>
      <Answered query={query} what="alerts">
        {({ alerts }) =>
          alerts.length === 0 ? (
            <p className={`quiet ${styles["nothing"]}`}>
              No alert has fired. Limits for cost, errors and turn times are set in <code>skein.config.json</code>,
              under <code>alerts</code>.
            </p>
          ) : (
            <ul className={styles["alerts"]}>
              {alerts.slice(0, MOST_SHOWN).map((alert) => (
                <li key={alert.alert_id}>
                  {alert.cleared_at === null ? (
                    <Badge meaning="bad" icon={<Bell aria-hidden />}>
                      holds
                    </Badge>
                  ) : (
                    <Badge meaning="neutral" icon={<Check aria-hidden />}>
                      over
                    </Badge>
                  )}
                  <span>{alert.message}</span>
                  {alert.kind === "stalled-run" && alert.subject !== null && (
                    <Link href={addressOf.run(alert.subject)}>the run</Link>
                  )}
                  <span className="quiet small">
                    <Time at={alert.cleared_at ?? alert.fired_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </section>
  );
}

import { useMemo, type ReactNode } from "react";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { countText, moneyText } from "../../parts/format.ts";
import styles from "./costs.module.css";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

type Hour = Api.Heatmap["hours"][number];

/** When agents work: turns by weekday and hour, as shades and as numbers. */
export function Heatmap({ hours, note }: { readonly hours: readonly Hour[]; readonly note: string }): ReactNode {
  const cells = useMemo(() => new Map(hours.map((hour) => [`${hour.weekday} ${hour.hour}`, hour])), [hours]);
  const most = Math.max(1, ...hours.map(({ turns }) => turns));
  return (
    <section className={styles["chart"]}>
      <header>
        <h2>When do agents work?</h2>
        <span className="quiet small">{note}</span>
      </header>
      <div className={styles["scroller"]} tabIndex={0} role="region" aria-label="Turns by weekday and hour">
        <table className={styles["heatmap"]}>
          <thead>
            <tr>
              <th scope="col">
                <span className="said">Weekday</span>
              </th>
              {HOURS.map((hour) => (
                <th key={hour} scope="col">
                  {hour % 3 === 0 ? hour : <span className="said">{hour}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {DAYS.map((day, place) => (
              <tr key={day}>
                <th scope="row">{day.slice(0, 3)}</th>
                {HOURS.map((hour) => {
                  const cell = cells.get(`${place + 1} ${hour}`);
                  const turns = cell?.turns ?? 0;
                  return (
                    <td
                      key={hour}
                      data-level={levelOf(turns, most)}
                      title={`${day}, ${hour}:00 to ${hour + 1}:00: ${toldOf(cell)}`}
                    >
                      {turns === 0 ? "" : turns}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function toldOf(hour: Hour | undefined): string {
  if (!hour || hour.turns === 0) return "no turns";
  const failed = hour.failed === 0 ? "" : `, ${hour.failed} failed`;
  return `${countText(hour.turns, "turn")}${failed}, ${moneyText(hour.cost_usd)}`;
}

function levelOf(turns: number, most: number): number {
  return turns === 0 ? 0 : Math.max(1, Math.ceil((turns / most) * 6));
}

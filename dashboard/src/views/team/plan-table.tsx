import type { ReactNode } from "react";
import { Money } from "../../parts/facts.tsx";
import { plainLine } from "../../parts/plain.ts";
import { ItemBadge } from "./item-badge.tsx";
import type { Team } from "./lanes.ts";
import styles from "./team.module.css";

/** The plan: what is to be done, how far it is, and what it took. */
export function PlanTable({
  team: { items, rounds, handoffs, offline, state },
  selected,
  onSelect,
}: {
  readonly team: Team;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
}): ReactNode {
  if (items.length === 0) {
    const isAsked = handoffs.at(-1)?.type === "escalated";
    const words = isAsked ? "The plan waits to be approved." : "The manager makes a plan.";
    return <p className={styles["noPlan"]}>{state === "running" ? words : "There is no plan."}</p>;
  }
  const backs = (id: string): number =>
    rounds.filter(({ item, verdict }) => item === id && verdict?.approved === false).length;
  return (
    <table className={styles["plan"]}>
      <caption className="said">The plan</caption>
      <thead>
        <tr>
          <th scope="col">Item</th>
          <th scope="col">Status</th>
          <th scope="col" data-wide>
            Needs
          </th>
          <th scope="col" data-number>
            Rounds
          </th>
          <th scope="col" data-number data-wide>
            Sent back
          </th>
          <th scope="col" data-number>
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, title, status, dependencies, rounds: count, cost_usd: cost }) => (
          <tr key={id} data-selected={selected === `i:${id}`}>
            <th scope="row" aria-label={plainLine(title)}>
              <button type="button" className={styles["item"]} onClick={() => onSelect(`i:${id}`)}>
                <span className="cut">{plainLine(title)}</span>
                <span className="mono quiet small cut">{plainLine(id)}</span>
              </button>
            </th>
            <td>
              <ItemBadge status={status} />
            </td>
            <td data-wide className="mono quiet small">
              {dependencies.length === 0 ? "–" : plainLine(dependencies.join(", "))}
            </td>
            <td data-number className="number">
              {count === 0 ? "–" : count}
            </td>
            <td data-number data-wide className="number">
              {backs(id) === 0 ? "–" : backs(id)}
            </td>
            <td data-number>
              <Money costUsd={count === 0 ? null : cost} isOffline={offline && count > 0} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import type { ReactNode } from "react";
import { durationText } from "../../parts/format.ts";
import { plainLine } from "../../parts/plain.ts";
import type { Team } from "./lanes.ts";
import styles from "./team.module.css";

const WORDS: Readonly<Record<string, string>> = {
  plan: "plan",
  "plan-refused": "plan refused",
  assigned: "assigned",
  evidence: "evidence",
  verdict: "verdict",
  stuck: "does not get on",
  remedy: "what now",
  conflict: "conflict",
  merged: "merged",
  ended: "ended",
  escalated: "asked",
  answered: "answered",
};

/** Every handoff in order, for who reads rather than looks. */
export function HandoffList({
  team: { handoffs, rounds, started_at: start },
  onSelect,
}: {
  readonly team: Team;
  readonly onSelect: (key: string) => void;
}): ReactNode {
  if (handoffs.length === 0) return null;
  return (
    <section className={styles["section"]} aria-labelledby="handoffs">
      <h2 id="handoffs">Handoffs</h2>
      <ol className={styles["log"]}>
        {handoffs.map(({ at, type, from, to, item, state_id: state, text }, place) => {
          const round = rounds.findIndex((each) => state !== null && each.state_id === state);
          const key = round >= 0 ? `w${round}` : item === null ? undefined : `i:${item}`;
          const words = `${item === null ? "" : `${item}: `}${WORDS[type] ?? type}`;
          return (
            <li key={place}>
              <span className="number quiet small">{durationText(Date.parse(at) - Date.parse(start))}</span>
              <span className="quiet small cut">
                {nameOf(from)} <span aria-hidden>→</span>
                <span className="said"> to </span> {nameOf(to)}
              </span>
              <span className="cut">
                {key === undefined ? (
                  words
                ) : (
                  <button type="button" className={styles["jump"]} onClick={() => onSelect(key)}>
                    {plainLine(words)}
                  </button>
                )}{" "}
                <span className="quiet">{text === type ? "" : plainLine(text)}</span>
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function nameOf(name: string): string {
  return name.replace("-", " ");
}

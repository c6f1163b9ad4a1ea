import { Bell, Check } from "lucide-react";
import type { ReactNode } from "react";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { useAlerts } from "../../data/queries.ts";
import { addressOf } from "../../data/url.ts";
import { Link } from "wouter";
import { Badge } from "../../parts/badge.tsx";
import { Time } from "../../parts/facts.tsx";
import { baseName, moneyText } from "../../parts/format.ts";
import { Answered } from "../../parts/note.tsx";
import styles from "./costs.module.css";
import { useLimits } from "./use-figures.ts";

const MOST_SHOWN = 8;

/** Alerts that hold, then those that were over last. */
export function AlertList(): ReactNode {
  const query = useAlerts();
  return (
    <section className={styles["chart"]}>
      <header>
        <h2>Is anything out of bounds?</h2>
      </header>
      <Limits />
      <Budgets />
      <Answered query={query} what="alerts">
        {({ alerts }) =>
          alerts.length === 0 ? (
            <p className={`quiet ${styles["nothing"]}`}>No alert has fired.</p>
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

/** The bounds that are watched, as bars of how much of each is used. */
function Limits(): ReactNode {
  const limits = useLimits();
  return (
    <Answered query={limits} what="the bounds">
      {({ limits: found }) =>
        found.length === 0 ? (
          <p className={`quiet ${styles["nothing"]}`}>
            No bound is set that there is anything to judge by. Bounds for cost, errors and turn times are set in{" "}
            <code>skein.config.json</code>, under <code>alerts</code>.
          </p>
        ) : (
          <ul className={styles["limits"]}>
            {found.map(({ kind, subject, value, threshold, is_over: isOver, message }) => (
              <li key={`${kind} ${subject}`} title={message} data-over={isOver}>
                <span>
                  {NAMES[kind]}
                  {subject !== null && <code> {subject.slice(0, 12)}</code>}
                </span>
                <meter min={0} max={threshold} value={Math.min(value, threshold)} aria-label={NAMES[kind]} />
                <span className="number">
                  {figureText(kind, value)} of {figureText(kind, threshold)}
                  {isOver && <b> over</b>}
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Answered>
  );
}

/** What agents may spend, where that is configured: how much the conversations that are nearest to their limit have used of it. */
function Budgets(): ReactNode {
  const budgets = useLimits().data?.budgets ?? [];
  if (budgets.length === 0) return null;
  return (
    <ul className={styles["limits"]} aria-label="Budgets">
      {budgets.flatMap(({ workspace, problem, conversations, ...limits }) => [
        <li key={workspace} title={workspace}>
          <span className="cut">{baseName(workspace)}</span>
          <span className="quiet cut" title={problem ?? undefined}>
            {problem ?? limitsText(limits)}
          </span>
        </li>,
        ...conversations.map(({ id, first_prompt: prompt, spent_usd: spentUsd, is_over: isOver }) => {
          const most = limits.max_conversation_cost_usd ?? 0;
          return (
            <li key={id} data-over={isOver}>
              <Link href={addressOf.runs(`conversation:${id}`)} className="cut" title={prompt}>
                {prompt || id.slice(0, 12)}
              </Link>
              <meter min={0} max={most || 1} value={Math.min(spentUsd, most)} aria-label="Spent of the conversation" />
              <span className="number">
                {moneyText(spentUsd)} of {moneyText(most)}
                {isOver && <b> used up</b>}
              </span>
            </li>
          );
        }),
      ])}
    </ul>
  );
}

function limitsText({
  max_cost_usd: call,
  max_conversation_cost_usd: conversation,
}: Pick<Api.LimitList["budgets"][number], "max_cost_usd" | "max_conversation_cost_usd">): string {
  const parts = [
    ...(call === null ? [] : [`a command may spend ${moneyText(call)}`]),
    ...(conversation === null ? [] : [`a conversation ${moneyText(conversation)}`]),
  ];
  return parts.join(", ");
}

type Kind = Api.AlertData["kind"];

const NAMES: Readonly<Record<Kind, string>> = {
  "error-rate": "Turns that fail",
  "cost-per-hour": "Cost of an hour",
  "cost-per-day": "Cost of a day",
  memory: "Memory",
  "stalled-run": "A run without a sign of life",
  "slower-turns": "Turns slower than before",
};

function figureText(kind: Kind, value: number): string {
  switch (kind) {
    case "error-rate":
      return `${(value * 100).toFixed(1)} %`;
    case "cost-per-hour":
    case "cost-per-day":
      return moneyText(value);
    case "memory":
      return `${Math.round(value)} MB`;
    case "stalled-run":
      return `${Math.round(value)} min`;
    case "slower-turns":
      return `${value.toFixed(1)} times`;
  }
}

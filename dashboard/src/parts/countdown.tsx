import { useEffect, useState, type ReactNode } from "react";
import { exactTime, secondsText } from "./format.ts";
import styles from "./question-card.module.css";

const SHORT_MS = 60_000;

/** How long there is until a moment, counted each second; it gets a colour in its last minute. */
export function Countdown({ until }: { readonly until: string }): ReactNode {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const ms = Math.max(0, Date.parse(until) - nowMs);
  return (
    <time
      className={`number ${styles["countdown"]}`}
      dateTime={until}
      title={exactTime(until)}
      data-short={ms < SHORT_MS}
    >
      {secondsText(ms)}
    </time>
  );
}

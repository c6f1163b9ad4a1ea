import { useEffect, useState, type ReactNode } from "react";
import { durationText } from "./format.ts";

/** How long something goes on, counted each second without drawing anything else again. */
export function Elapsed({ since }: { readonly since: string }): ReactNode {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  // Whole seconds: a running clock of tenths is restless.
  const ms = Math.max(0, nowMs - Date.parse(since));
  return <span className="number">{ms < 1000 ? "0 s" : durationText(Math.floor(ms / 1000) * 1000)}</span>;
}

import { useEffect, useState, type ReactNode } from "react";
import { secondsText } from "./format.ts";

/** How long something goes on, counted each second without drawing anything else again. */
export function Elapsed({ since }: { readonly since: string }): ReactNode {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  // Whole seconds: a running clock of tenths is restless.
  return <span className="number">{secondsText(nowMs - Date.parse(since))}</span>;
}

import { Moon, Sun, SunMoon } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAlerts } from "../data/queries.ts";
import { addressOf } from "../data/url.ts";
import { useLive } from "../data/use-live.ts";
import { IconButton } from "../parts/button.tsx";
import { Elapsed } from "../parts/elapsed.tsx";
import { countText } from "../parts/format.ts";
import { THEMES, setTheme, useTheme } from "../theme/use-theme.ts";
import styles from "./status-line.module.css";

/** How it stands with everything, whatever view is shown. */
export function StatusLine(): ReactNode {
  const running = useLive(({ runs }) => [...runs.values()].filter(({ state }) => state === "running").length);
  const waiting = useLive(({ questions }) => questions.size);
  const alerts = useAlerts().data?.alerts.filter(({ cleared_at }) => cleared_at === null) ?? [];
  return (
    <footer className={styles["line"]} aria-label="Status">
      <ConnectionState />
      <span className={styles["running"]}>{running === 0 ? "nothing runs" : `${running} running`}</span>
      {waiting > 0 && (
        <Link href={addressOf.now()} className={styles["waiting"] ?? ""}>
          {countText(waiting, "question")} {waiting === 1 ? "waits" : "wait"} for you
        </Link>
      )}
      {alerts.length > 0 && (
        <Link
          href={addressOf.costs()}
          className={styles["alert"] ?? ""}
          title={alerts.map(({ message }) => message).join("\n")}
        >
          {countText(alerts.length, "alert")}
        </Link>
      )}
      <span className={styles["space"]} />
      <span className={styles["hint"]}>
        <kbd>?</kbd> keys
      </span>
      <ThemeButton />
    </footer>
  );
}

function ConnectionState(): ReactNode {
  const connection = useLive((live) => live.connection);
  if (connection.state === "open") return <span className={styles["open"]}>connected</span>;
  if (connection.state === "connecting") return <span>connecting…</span>;
  return (
    <span className={styles["lost"]} role="status">
      no connection for <Elapsed since={new Date(connection.sinceMs).toISOString()} />, trying again
    </span>
  );
}

const ICONS = { system: <SunMoon />, light: <Sun />, dark: <Moon /> } as const;

function ThemeButton(): ReactNode {
  const theme = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  return (
    <IconButton
      className={styles["theme"] ?? ""}
      label={`Theme: ${theme}. Change to ${next}`}
      shortcut="t"
      icon={ICONS[theme]}
      onClick={() => setTheme(next)}
    />
  );
}

import { CircleAlert, RotateCw } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { ApiError } from "../data/ask.ts";
import { Button } from "./button.tsx";
import { CopyLine } from "./copy.tsx";
import styles from "./note.module.css";

/** Where there is nothing yet: what this will show, and a command that fills it. */
export function Empty({
  title,
  children,
  command,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly command?: string;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className={styles["note"]}>
      <h3>{title}</h3>
      {children !== undefined && <p className="quiet">{children}</p>}
      {command !== undefined && <CopyLine text={command} />}
      {action}
    </div>
  );
}

/** What went wrong, in the server's words, and what to do about it. */
export function ErrorNote({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}): ReactNode {
  const hint = error instanceof ApiError ? error.hint : undefined;
  return (
    <div className={`${styles["note"]} ${styles["error"]}`} role="alert">
      <h3>
        <CircleAlert aria-hidden /> {errorText(error)}
      </h3>
      {hint !== undefined && <p className="quiet">{hint}</p>}
      {onRetry && (
        <Button size="small" icon={<RotateCw />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** What is drawn as one line of text where an error comes of something small. */
export function ErrorLine({ error }: { readonly error: unknown }): ReactNode {
  if (error === null || error === undefined) return null;
  const hint = error instanceof ApiError && error.hint !== undefined ? ` ${error.hint}` : "";
  return (
    <p className={styles["line"]} role="alert">
      <CircleAlert aria-hidden /> {errorText(error) + hint}
    </p>
  );
}

/** What an error says of itself. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : "Something went wrong that does not say what it is";
}

const SHOWN_AFTER_MS = 150;
const LONG_MS = 10_000;

/** Something is on its way: nothing for a moment, then quiet lines, and after ten seconds a word that it takes long. */
export function Loading({
  lines = 3,
  what = "the answer",
}: {
  readonly lines?: number;
  readonly what?: string;
}): ReactNode {
  const [waited, setWaited] = useState<"short" | "shown" | "long">("short");
  useEffect(() => {
    const timers = [
      window.setTimeout(() => setWaited("shown"), SHOWN_AFTER_MS),
      window.setTimeout(() => setWaited("long"), LONG_MS),
    ];
    return () => timers.forEach((timer) => window.clearTimeout(timer));
  }, []);
  if (waited === "short") return <div className={styles["loading"]} aria-hidden />;
  return (
    <div className={styles["loading"]} role="status">
      <span className="said">Loading {what}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={styles["bar"]} data-line={line % 3} />
      ))}
      {waited === "long" && <p className="quiet small">Still waiting for {what}: the server is busy or gone.</p>}
    </div>
  );
}

interface Asked<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/** The answer of a query once it is there; what went wrong or that it is on its way until then. */
export function Answered<Data>({
  query,
  what,
  children,
}: {
  readonly query: Asked<Data>;
  readonly what?: string;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  return query.isPending ? <Loading {...(what === undefined ? {} : { what })} /> : null;
}

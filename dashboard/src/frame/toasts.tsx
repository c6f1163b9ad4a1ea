import { CircleAlert, Info, X } from "lucide-react";
import { useEffect, useSyncExternalStore, type ReactNode } from "react";
import { Link } from "wouter";
import { IconButton } from "../parts/button.tsx";
import { dismissToast, readToasts, subscribeToasts, type Toast } from "../parts/toast-list.ts";
import styles from "./toasts.module.css";

/** What a person is told of in the corner of the page. */
export function Toasts(): ReactNode {
  const toasts = useSyncExternalStore(subscribeToasts, readToasts);
  return (
    <div className={styles["toasts"]} role="log" aria-label="What happened meanwhile">
      {toasts.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

const SHOWN_FOR_MS = 6000;

function ToastLine({ toast: { id, text, hint, address, meaning } }: { readonly toast: Toast }): ReactNode {
  useEffect(() => {
    if (meaning === "bad") return undefined;
    const timer = window.setTimeout(() => dismissToast(id), SHOWN_FOR_MS);
    return () => window.clearTimeout(timer);
  }, [id, meaning]);
  return (
    <div className={styles["toast"]} data-meaning={meaning}>
      {meaning === "bad" ? <CircleAlert aria-hidden /> : <Info aria-hidden />}
      <div>
        <p>{text}</p>
        {address !== undefined && (
          <Link href={address} onClick={() => dismissToast(id)}>
            Look at it
          </Link>
        )}
        {hint !== undefined && <p className="quiet small">{hint}</p>}
      </div>
      <IconButton label="Dismiss" icon={<X />} onClick={() => dismissToast(id)} />
    </div>
  );
}

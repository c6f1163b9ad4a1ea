import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRef, type ReactNode } from "react";
import buttons from "./button.module.css";
import styles from "./dialog.module.css";

/** What is written into; a choice that stands already needs nobody. */
const FIELDS =
  "input:not([type=radio], [type=checkbox], [type=file], [type=hidden], [aria-hidden=true]):enabled, textarea:enabled";

/** Something that has to be decided or read before anything else; Escape closes it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  width = "normal",
  footer,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly width?: "normal" | "wide";
  /** Its buttons, the one that does it last. */
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles["backdrop"]} />
        <Base.Popup
          className={`${styles["popup"]} ${width === "wide" ? styles["wide"] : ""}`}
          initialFocus={() => body.current?.querySelector<HTMLElement>(FIELDS) ?? true}
        >
          <header className={styles["header"]}>
            <Base.Title className={styles["title"]}>{title}</Base.Title>
            {/* Without a tooltip: it is focused first where there is no field, and its tooltip would take the Escape that closes the dialog. */}
            <Base.Close className={buttons["icon"]} aria-label="Close" title="Close (Esc)">
              <X aria-hidden />
            </Base.Close>
          </header>
          <div ref={body} className={styles["body"]}>
            {children}
          </div>
          {footer !== undefined && <footer className={styles["footer"]}>{footer}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

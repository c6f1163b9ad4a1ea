import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";
import styles from "./popup.module.css";

/** A few words beside a control while it is pointed at or focused; the control keeps a name of its own. */
export function Tooltip({
  text,
  shortcut,
  children,
}: {
  readonly text: ReactNode;
  readonly shortcut?: string;
  readonly children: ReactElement;
}): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className={styles["positioner"]}>
          <Base.Popup className={styles["tooltip"]}>
            {text}
            {shortcut !== undefined && <kbd className={styles["kbd"]}>{shortcut}</kbd>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

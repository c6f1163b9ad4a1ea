import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import styles from "./popup.module.css";

export interface MenuEntry {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly shortcut?: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onChoose: () => void;
}

/** Actions behind a button; `null` draws a line between two groups. */
export function Menu({
  trigger,
  entries,
}: {
  readonly trigger: ReactElement;
  readonly entries: readonly (MenuEntry | null)[];
}): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className={styles["positioner"]}>
          <Base.Popup className={styles["popup"]}>
            {entries.map((entry, place) =>
              entry === null ? (
                <Base.Separator key={place} className={styles["separator"]} />
              ) : (
                <Base.Item
                  key={entry.label}
                  className={`${styles["item"]} ${entry.isDangerous ? styles["danger"] : ""}`}
                  disabled={entry.isDisabled ?? false}
                  onClick={entry.onChoose}
                >
                  {entry.icon}
                  <span className="cut">{entry.label}</span>
                  {entry.shortcut !== undefined && <kbd className={styles["kbd"]}>{entry.shortcut}</kbd>}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

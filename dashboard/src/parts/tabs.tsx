import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import styles from "./tabs.module.css";

export interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly panel: ReactNode;
}

/** A few panels of which one is seen; each fills what is left below the line of their names. */
export function Tabs<Value extends string>({
  label,
  value,
  tabs,
  actions,
  onChange,
}: {
  /** What is chosen by them, for who cannot see it. */
  readonly label: string;
  readonly value: Value;
  readonly tabs: readonly Tab<Value>[];
  /** What stands at the end of the line. */
  readonly actions?: ReactNode;
  readonly onChange: (value: Value) => void;
}): ReactNode {
  return (
    <Base.Root className={styles["root"]} value={value} onValueChange={(next: Value) => onChange(next)}>
      <div className={styles["bar"]}>
        <Base.List className={styles["list"]} aria-label={label} activateOnFocus>
          {tabs.map((tab) => (
            <Base.Tab key={tab.value} value={tab.value} className={styles["tab"]}>
              {tab.label}
            </Base.Tab>
          ))}
        </Base.List>
        {actions}
      </div>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className={styles["panel"]} tabIndex={-1}>
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}

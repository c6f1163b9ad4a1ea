import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./popup.module.css";

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** One of a few values; its name stands before the chosen one. */
export function Select<Value extends string>({
  label,
  value,
  choices,
  onChange,
  isLabelShown = true,
}: {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly onChange: (value: Value) => void;
  readonly isLabelShown?: boolean;
}): ReactNode {
  return (
    <Base.Root items={choices} value={value} onValueChange={(next) => next !== null && onChange(next)}>
      <Base.Trigger className={styles["select"]} aria-label={label}>
        {isLabelShown && <span className={styles["selectLabel"]}>{label}</span>}
        <span className="cut">
          <Base.Value />
        </span>
        <ChevronDown aria-hidden />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className={styles["positioner"]}>
          <Base.Popup className={styles["popup"]}>
            <Base.List>
              {choices.map((choice) => (
                <Base.Item key={choice.value} value={choice.value} className={styles["item"]}>
                  <span className={styles["check"]}>
                    <Base.ItemIndicator>
                      <Check aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <Base.ItemText>{choice.label}</Base.ItemText>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

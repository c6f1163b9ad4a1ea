import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Tooltip } from "./tooltip.tsx";
import styles from "./button.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: what one probably wants; `danger`: what takes something away. */
  readonly look?: "plain" | "primary" | "danger" | "quiet";
  readonly size?: "normal" | "small";
  readonly icon?: ReactNode;
  /** The key that does the same, shown beside the words. */
  readonly shortcut?: string;
  /** Whether the key means another button now: its place is kept, so that nothing moves under a finger. */
  readonly isShortcutHidden?: boolean;
}

export function Button({
  look = "plain",
  size = "normal",
  icon,
  shortcut,
  isShortcutHidden = false,
  children,
  className = "",
  ...rest
}: ButtonProps): ReactNode {
  const classes = [styles["button"], styles[look], size === "small" ? styles["small"] : "", className].join(" ");
  return (
    <button type="button" className={classes} {...rest}>
      {icon}
      {children !== undefined && <span className="cut">{children}</span>}
      {shortcut !== undefined && (
        <kbd className={styles["kbd"]} data-hidden={isShortcutHidden || undefined}>
          {shortcut}
        </kbd>
      )}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  /** What it does: said to screen readers and shown on hover. */
  readonly label: string;
  readonly icon: ReactNode;
  readonly shortcut?: string;
  readonly isPressed?: boolean;
}

/** A button that is an icon alone. */
export function IconButton({ label, icon, shortcut, isPressed, className = "", ...rest }: IconButtonProps): ReactNode {
  return (
    <Tooltip text={label} {...(shortcut === undefined ? {} : { shortcut })}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={isPressed}
        className={`${styles["icon"]} ${className}`}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  );
}

/** A key, as it is shown in words and menus. */
export function Kbd({ children }: { readonly children: ReactNode }): ReactNode {
  return <kbd className={styles["kbd"]}>{children}</kbd>;
}

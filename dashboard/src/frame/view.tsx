import { X } from "lucide-react";
import { useEffect, useRef, type PointerEvent, type ReactNode } from "react";
import { useSetting } from "../data/drafts.ts";
import { IconButton } from "../parts/button.tsx";
import { useKeys } from "./keys.ts";
import styles from "./view.module.css";

/** A view: its title and what can be done above, its content, and beside it what is selected. */
export function View({
  title,
  crumbs,
  actions,
  toolbar,
  inspector,
  children,
}: {
  readonly title: string;
  /** What is before the title: where it belongs. */
  readonly crumbs?: ReactNode;
  readonly actions?: ReactNode;
  /** A second line: filters, a slider. */
  readonly toolbar?: ReactNode;
  readonly inspector?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  useEffect(() => {
    document.documentElement.dataset["view"] = title;
    window.dispatchEvent(new Event("skein-view"));
  }, [title]);
  return (
    <div className={styles["view"]}>
      <div className={styles["main"]}>
        <header className={styles["header"]}>
          <div className={styles["titles"]}>
            {crumbs !== undefined && <div className={styles["crumbs"]}>{crumbs}</div>}
            <h1 className="cut" title={title}>
              {title}
            </h1>
          </div>
          <div className={styles["actions"]}>{actions}</div>
        </header>
        {toolbar !== undefined && <div className={styles["toolbar"]}>{toolbar}</div>}
        <div className={styles["content"]}>{children}</div>
      </div>
      {inspector}
    </div>
  );
}

const NARROWEST = 280;
const WIDEST = 760;

/** What is selected: facts, files, actions. A column that can be made wider; a sheet where the screen is small. Escape closes it. */
export function Inspector({
  title,
  actions,
  onClose,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const [width, setWidth] = useSetting<number>("inspector-width", 360);
  const column = useRef<HTMLElement>(null);
  useKeys([{ key: "Escape", label: "Close what is selected", run: onClose }]);
  useEffect(() => column.current?.style.setProperty("--width", `${width}px`), [width]);

  const drag = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.buttons !== 1) return;
    setWidth(Math.max(NARROWEST, Math.min(WIDEST, window.innerWidth - event.clientX)));
  };
  const step = (by: number): void => setWidth(Math.max(NARROWEST, Math.min(WIDEST, width + by)));
  return (
    <aside className={styles["inspector"]} ref={column} aria-label={title}>
      <div
        className={styles["grip"]}
        role="slider"
        aria-label="Width of the panel"
        aria-orientation="horizontal"
        aria-valuemin={NARROWEST}
        aria-valuemax={WIDEST}
        aria-valuenow={width}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft") step(20);
          if (event.key === "ArrowRight") step(-20);
        }}
      />
      <header className={styles["inspectorHeader"]}>
        <h2 className="cut" title={title}>
          {title}
        </h2>
        {actions}
        <IconButton label="Close" shortcut="Esc" icon={<X />} onClick={onClose} />
      </header>
      <div className={styles["inspectorBody"]}>{children}</div>
    </aside>
  );
}

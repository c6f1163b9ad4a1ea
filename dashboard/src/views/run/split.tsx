import { useEffect, useState, type ReactNode } from "react";
import { useParam, useSetParams } from "../../data/url.ts";
import { Tabs, type Tab } from "../../parts/tabs.tsx";
import styles from "./run.module.css";

/** Two columns: what happened, and beside it panels of what came of it. On a small screen all of them are tabs. */
export function Split({
  main,
  mainName,
  tabs,
  actions,
}: {
  readonly main: ReactNode;
  readonly mainName: string;
  readonly tabs: readonly Tab<string>[];
  readonly actions?: ReactNode;
}): ReactNode {
  const isNarrow = useNarrow();
  const pane = useParam("pane");
  const set = useSetParams();
  const all = isNarrow ? [{ value: "timeline", label: mainName, panel: main }, ...tabs] : tabs;
  const [first] = all;
  const value = all.find((tab) => tab.value === pane)?.value ?? first?.value ?? "";
  const choose = (next: string): void => set({ pane: next === first?.value ? undefined : next });
  const panels = <Tabs label="Panels" value={value} tabs={all} actions={actions} onChange={choose} />;
  if (isNarrow) return panels;
  return (
    <div className={styles["split"]}>
      <section className={styles["left"]} aria-label={mainName}>
        {main}
      </section>
      <section className={styles["right"]} aria-label="What came of it">
        {panels}
      </section>
    </div>
  );
}

const NARROW = "(width < 1000px)";

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const see = (): void => setNarrow(query.matches);
    query.addEventListener("change", see);
    return () => query.removeEventListener("change", see);
  }, []);
  return isNarrow;
}

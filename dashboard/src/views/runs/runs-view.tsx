import { ArrowUp } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useWorkspaces } from "../../data/queries.ts";
import { useParam, useSetParams } from "../../data/url.ts";
import { View } from "../../frame/view.tsx";
import { Button } from "../../parts/button.tsx";
import { countText } from "../../parts/format.ts";
import { ErrorNote, Loading } from "../../parts/note.tsx";
import { Switcher } from "../../parts/switcher.tsx";
import { readOrder } from "./columns.ts";
import { Conversations, Searches } from "./groups.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { parseFilter } from "./filter.ts";
import { RunsTable } from "./runs-table.tsx";
import styles from "./runs.module.css";
import { useStates } from "./use-states.ts";

/** All recorded turns of all workspaces. */
export function RunsView(): ReactNode {
  const text = useParam("q") ?? "";
  const group = useParam("group");
  const order = readOrder(useParam("order"));
  const set = useSetParams();
  const workspaces = useWorkspaces().data?.workspaces;
  // "seven days ago" is meant from when the filter was written.
  const [since] = useState(Date.now);
  const filter = useMemo(
    () => parseFilter(text, { workspaces: workspaces ?? [], nowMs: since }),
    [text, workspaces, since],
  );
  const query = useMemo(() => ({ ...filter.query, order }), [filter, order]);
  const states = useStates(query);
  const choose = (next: string): void => set({ group: next === "turns" ? undefined : next });
  // The same turn stays selected, so many rows further down.
  const selected = Number(useParam("select") ?? Number.NaN);
  const takeNewer = (): void => {
    if (order === "newest" && selected > 0) set({ select: String(selected + states.newer) });
    states.takeNewer();
  };
  const switcher = (
    <Switcher
      label="Grouped by"
      value={group === "conversations" || group === "searches" ? group : "turns"}
      choices={[
        { value: "turns", label: "Turns" },
        { value: "conversations", label: "Conversations" },
        { value: "searches", label: "Searches" },
      ]}
      onChange={choose}
    />
  );
  if (group === "conversations" || group === "searches") {
    const onOpen = (part: string): void => set({ q: part, group: undefined }, "push");
    return (
      <View title="Runs" toolbar={switcher}>
        {group === "searches" ? <Searches onOpen={onOpen} /> : <Conversations onOpen={onOpen} />}
      </View>
    );
  }
  return (
    <View
      title="Runs"
      actions={
        states.newer > 0 && (
          <Button size="small" look="primary" icon={<ArrowUp />} onClick={takeNewer}>
            {`${states.newer.toLocaleString("en-US")} new`}
          </Button>
        )
      }
      toolbar={
        <>
          {switcher}
          <FilterBar text={text} filter={filter} onChange={(next) => set({ q: next, select: undefined })} />
          <span className={`${styles["count"]} quiet number`}>
            {states.count === undefined ? "" : countText(states.count, "turn")}
          </span>
        </>
      }
    >
      {states.skipped.length > 0 && (
        <p className={styles["skipped"]} role="status">
          {countText(states.skipped.length, "workspace")} could not be read and{" "}
          {states.skipped.length === 1 ? "is" : "are"} left out.
        </p>
      )}
      {states.error && states.count === undefined ? (
        <ErrorNote error={states.error} onRetry={states.retry} />
      ) : states.count === undefined ? (
        <Loading what="the turns" lines={8} />
      ) : (
        <RunsTable key={JSON.stringify(query)} states={states} order={order} isFiltered={text !== ""} />
      )}
    </View>
  );
}

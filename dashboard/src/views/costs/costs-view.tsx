import type { ReactNode } from "react";
import { useWorkspaces } from "../../data/queries.ts";
import { useParam, useSetParams } from "../../data/url.ts";
import { View } from "../../frame/view.tsx";
import { baseName } from "../../parts/format.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import { Select } from "../../parts/select.tsx";
import styles from "./costs.module.css";
import { MoneyCharts } from "./money-charts.tsx";
import { SPAN_LABELS, SPANS, type SpanName } from "./span.ts";
import { Sums } from "./sums.tsx";
import { useBuckets, useSums, type GroupBy, type Shown } from "./use-figures.ts";
import { WorkCharts } from "./work-charts.tsx";

const VIEWS = { money: "Money", work: "Work" } as const;
const ALL = " ";

/** What was spent, on what, and how well it went. */
export function CostsView(): ReactNode {
  const shown = useShown();
  const given = useParam("by");
  const by: GroupBy = given === "workspace" || given === "agent" ? given : "model";
  const view = useParam("view") === "work" ? "work" : "money";
  const sums = useSums(shown, by);
  const buckets = useBuckets(shown);
  return (
    <View title="Costs" actions={<SpanChoice shown={shown} />} toolbar={<Filters shown={shown} view={view} />}>
      <Answered query={sums} what="the figures">
        {(answer) =>
          answer.total.turns === 0 ? (
            <Nothing shown={shown} />
          ) : (
            <div className={styles["costs"]}>
              <Sums answer={answer} isOfflineCounted={shown.isOfflineCounted} />
              <Answered query={buckets} what="the days">
                {(total) =>
                  view === "money" ? (
                    <MoneyCharts shown={shown} by={by} answer={answer} total={total} />
                  ) : (
                    <WorkCharts shown={shown} total={total} />
                  )
                }
              </Answered>
            </div>
          )
        }
      </Answered>
    </View>
  );
}

function useShown(): Shown {
  const span = useParam("span");
  return {
    span: SPANS.find((each) => each === span) ?? "30d",
    workspace: useParam("workspace"),
    model: useParam("model"),
    isOfflineCounted: useParam("offline") === "1",
  };
}

function Nothing({ shown }: { readonly shown: Shown }): ReactNode {
  const hasWorkspaces = (useWorkspaces().data?.workspaces.length ?? 0) > 0;
  const isNarrow = shown.workspace !== undefined || shown.model !== undefined || shown.span !== "all";
  const isFiltered = hasWorkspaces && isNarrow;
  return (
    <Empty title={isFiltered ? "No turns here" : "No turns yet"} command='skein run "Make the tests pass"'>
      {isFiltered
        ? "No turn was recorded in this time with these filters. Turns are counted as soon as they end."
        : "What turns cost, how long they took and what went wrong is shown here, as soon as one ended."}
    </Empty>
  );
}

function SpanChoice({ shown }: { readonly shown: Shown }): ReactNode {
  const set = useSetParams();
  return (
    <fieldset className={styles["choice"]}>
      <legend className="said">Time</legend>
      {SPANS.map((span: SpanName) => (
        <label key={span} title={SPAN_LABELS[span]}>
          <input
            type="radio"
            name="span"
            checked={shown.span === span}
            onChange={() => set({ span: span === "30d" ? undefined : span })}
          />
          <span>{span === "all" ? "All" : span.replace(/(\d+)(\w)/u, "$1 $2")}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Filters({ shown, view }: { readonly shown: Shown; readonly view: keyof typeof VIEWS }): ReactNode {
  const set = useSetParams();
  const workspaces = useWorkspaces().data?.workspaces ?? [];
  const { model, workspace, isOfflineCounted } = shown;
  const models = useSums({ ...shown, model: undefined }, "model").data?.groups.map(({ key }) => key) ?? [];
  const known = [...new Set([...models, ...(model === undefined ? [] : [model])])];
  return (
    <>
      <fieldset className={styles["choice"]}>
        <legend className="said">Figures</legend>
        {(["money", "work"] as const).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="view"
              checked={view === each}
              onChange={() => set({ view: each === "money" ? undefined : each })}
            />
            <span>{VIEWS[each]}</span>
          </label>
        ))}
      </fieldset>
      <Select
        label="Project"
        value={workspace ?? ALL}
        choices={[
          { value: ALL, label: "all" },
          ...workspaces.map(({ path }) => ({ value: path, label: baseName(path) })),
        ]}
        onChange={(next) => set({ workspace: next === ALL ? undefined : next })}
      />
      <Select
        label="Model"
        value={model ?? ALL}
        choices={[{ value: ALL, label: "all" }, ...known.map((value) => ({ value, label: value }))]}
        onChange={(next) => set({ model: next === ALL ? undefined : next })}
      />
      <label className={styles["check"]}>
        <input
          type="checkbox"
          checked={isOfflineCounted}
          onChange={({ target }) => set({ offline: target.checked ? "1" : undefined })}
        />
        Count offline turns by the price list
      </label>
    </>
  );
}

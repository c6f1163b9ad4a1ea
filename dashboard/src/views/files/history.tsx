import { MapPin } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import type { TreeData } from "../../../../src/monitor/api-types.ts";
import { useParam, useSetParams } from "../../data/url.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Time } from "../../parts/facts.tsx";
import { shortId } from "../../parts/format.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import { Switcher } from "../../parts/switcher.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import styles from "./files.module.css";
import { useLog } from "./use-files.ts";

/** At which state the files are looked at, and what the user's own repository had come to by then. */
export function History({
  workspace,
  state,
  tree,
}: {
  readonly workspace: string;
  readonly state: string;
  readonly tree: TreeData;
}): ReactNode {
  const shown = useParam("beside") === "log" ? "log" : "states";
  const set = useSetParams();
  return (
    <>
      <div className={styles["historyHead"]}>
        <Switcher
          label="Beside the files"
          value={shown}
          choices={[
            { value: "states", label: "States" },
            { value: "log", label: "Repository" },
          ]}
          onChange={(next) => set({ beside: next === "log" ? next : undefined })}
        />
      </div>
      {shown === "log" ? <Log workspace={workspace} state={state} /> : <States tree={tree} state={state} />}
    </>
  );
}

function States({ tree, state }: { readonly tree: TreeData; readonly state: string }): ReactNode {
  const set = useSetParams();
  const states = useMemo(() => tree.nodes.toReversed(), [tree]);
  const active = states.findIndex(({ state_id: id }) => id === state);
  const choose = (id: string | undefined): void => set({ state: id });
  return (
    <VirtualList
      role="listbox"
      label="States, the newest first"
      className={styles["list"]}
      count={states.length}
      rowHeight={44}
      active={active === -1 ? undefined : active}
      activeId={active === -1 ? undefined : `state-${active}`}
      onKeyDown={(event) => {
        const next = event.key === "ArrowDown" ? active + 1 : event.key === "ArrowUp" ? active - 1 : undefined;
        if (next === undefined || !states[next]) return;
        choose(states[next].state_id);
        event.preventDefault();
      }}
      renderRow={(index) => {
        const each = states[index];
        if (!each) return null;
        const { state_id: id, prompt, kind, outcome, recorded_at: at } = each;
        return (
          <div
            id={`state-${index}`}
            role="option"
            aria-selected={id === state}
            className={styles["state"]}
            tabIndex={-1}
            onClick={() => choose(id)}
            onKeyDown={undefined}
          >
            <span className="cut" title={prompt ?? undefined}>
              {prompt ?? (kind === "edit" ? "Files changed outside of any turn" : "Start of a conversation")}
            </span>
            <span className={`${styles["stateFacts"]} quiet small`}>
              {id === tree.head && (
                <b>
                  <MapPin aria-hidden /> you are here
                </b>
              )}
              {outcome !== null && outcome !== "completed" && <StateBadge state={outcome} />}
              <span className="mono">{shortId(id)}</span>
              <Time at={at} />
            </span>
          </div>
        );
      }}
    />
  );
}

/** The commits that led to where the user's HEAD was. */
function Log({ workspace, state }: { readonly workspace: string; readonly state: string }): ReactNode {
  const log = useLog(workspace, state);
  return (
    <Answered query={log} what="the repository's log">
      {({ pages }) => {
        const commits = pages.flatMap((page) => page.commits);
        if (commits.length === 0) return <Empty title="This state has no repository with commits" />;
        return (
          <div className={styles["log"]}>
            <ol>
              {commits.map(({ commit, subject, author, authored_at: at }) => (
                <li key={commit}>
                  <span className="cut" title={subject}>
                    {subject}
                  </span>
                  <span className={`${styles["stateFacts"]} quiet small`}>
                    <span className="mono">{commit.slice(0, 8)}</span>
                    <span className="cut">{author}</span>
                    <Time at={at} />
                  </span>
                </li>
              ))}
            </ol>
            {log.hasNextPage && (
              <Button size="small" disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                More
              </Button>
            )}
          </div>
        );
      }}
    </Answered>
  );
}

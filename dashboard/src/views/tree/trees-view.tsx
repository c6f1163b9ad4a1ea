import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { api } from "../../data/api.ts";
import { useWorkspaces } from "../../data/queries.ts";
import { addressOf } from "../../data/url.ts";
import { useLive } from "../../data/use-live.ts";
import { View } from "../../frame/view.tsx";
import { StateBadge } from "../../parts/badge.tsx";
import { Money, Path } from "../../parts/facts.tsx";
import { baseName, countText, durationText } from "../../parts/format.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import styles from "./trees.module.css";

/** The workspaces that have a tree. */
export function TreesView(): ReactNode {
  const query = useWorkspaces();
  return (
    <View title="Tree">
      <Answered query={query} what="the workspaces">
        {({ workspaces }) => (workspaces.length === 0 ? <NoTree /> : <Workspaces workspaces={workspaces} />)}
      </Answered>
    </View>
  );
}

function NoTree(): ReactNode {
  return (
    <Empty title="No tree yet" command={'skein run "Explain this project"'}>
      Each workspace in which Skein has recorded a turn has a tree of its states here.
    </Empty>
  );
}

function Workspaces({
  workspaces,
}: {
  readonly workspaces: readonly { readonly id: string; readonly path: string }[];
}): ReactNode {
  const sums = useQueries({
    queries: workspaces.map(({ id }) => ({
      queryKey: ["workspaces", id, "sums"],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.workspace(id, signal),
    })),
  });
  const runs = useLive((live) => live.runs);
  const running = (path: string): number =>
    [...runs.values()].filter(({ workspace, state }) => workspace === path && state === "running").length;
  return (
    <ul className={styles["list"]} aria-label="Workspaces">
      {workspaces.map(({ id, path }, place) => {
        const data = sums[place]?.data;
        return (
          <li key={id}>
            <Link href={addressOf.tree(id)} className={styles["workspace"] ?? ""}>
              <strong className="cut">{baseName(path)}</strong>
              <span className={styles["running"]}>{running(path) > 0 && <StateBadge state="running" />}</span>
              <span className="quiet cut">
                <Path path={path} most={64} />
              </span>
              <span className={styles["sums"]}>
                <span className="number">{data ? countText(data.states, "state") : ""}</span>
                <span className="number">{data ? countText(data.turns, "turn") : ""}</span>
                <span className="number">{data ? durationText(data.duration_ms) : ""}</span>
                {data && <Money costUsd={data.cost_usd} />}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

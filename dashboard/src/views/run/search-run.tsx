import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { GitFork } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type { RunData, StateData } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { useWorkspaceId } from "../../data/queries.ts";
import { addressOf, useGo } from "../../data/url.ts";
import { useRunLog } from "../../data/use-run-log.ts";
import { useKeys } from "../../frame/keys.ts";
import { View } from "../../frame/view.tsx";
import { Reward, StateBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { Money } from "../../parts/facts.tsx";
import { baseName, countText, durationText } from "../../parts/format.ts";
import { ErrorNote, Loading } from "../../parts/note.tsx";
import { plainLine } from "../../parts/plain.ts";
import { InterruptButton } from "./run-controls.tsx";
import styles from "./run.module.css";
import { searchTurns, type SearchTurn } from "./search-turns.ts";

/** A search: its turns as they come, the best one marked, and the way to the tree. */
export function SearchRun({ run }: { readonly run: RunData }): ReactNode {
  const workspace = useWorkspaceId(run.workspace);
  const log = useRunLog(run.run);
  const go = useGo();
  const turns = useMemo(() => searchTurns(log.lines), [log.lines]);
  const ended = turns.filter(({ stateId }) => stateId !== undefined).length;
  const recorded = useRecorded(workspace, run, ended);
  const best = turns.find(({ isBest }) => isBest);
  const showTree = (): void => {
    if (workspace !== undefined) go(addressOf.tree(workspace, best?.stateId));
  };
  useKeys([{ key: "v", label: "Show the tree", run: showTree, isDisabled: workspace === undefined }]);
  const isOver = run.state !== "running";
  return (
    <View
      title={`Search, ${run.strategy ?? "of its own"}`}
      crumbs={
        <>
          {baseName(run.workspace)} <span aria-hidden>/</span>
        </>
      }
      actions={
        <>
          {!isOver && <InterruptButton run={run} />}
          <Button
            size="small"
            look="primary"
            icon={<GitFork />}
            shortcut="v"
            disabled={workspace === undefined}
            onClick={showTree}
          >
            Show the tree
          </Button>
        </>
      }
      toolbar={
        <div className={styles["live"]}>
          <StateBadge state={isOver ? (run.state === "ended" ? "ended" : "interrupted") : run.activity} />
          {!isOver && <Elapsed since={run.started_at} />}
          <span className="quiet">{countText(turns.length, "turn")}</span>
          <SearchCost turns={turns} recorded={recorded} />
          {run.end_reason !== null && <span className="quiet cut">{END_WORDS[run.end_reason] ?? run.end_reason}</span>}
        </div>
      }
    >
      {log.lines.length > 0 ? (
        <TurnList turns={turns} workspace={workspace} recorded={recorded} />
      ) : log.error === undefined ? (
        <Loading what="the turns" />
      ) : (
        <ErrorNote error={log.error} />
      )}
    </View>
  );
}

const END_WORDS: Readonly<Record<string, string>> = {
  exhausted: "everything was tried",
  threshold: "the reward was reached",
  budget: "the budget was spent",
  cancelled: "it was stopped",
  killed: "its process was killed",
};

/** What the turns cost, once each says whether anybody paid for it. */
function SearchCost({
  turns,
  recorded,
}: {
  readonly turns: readonly SearchTurn[];
  readonly recorded: ReadonlyMap<string, StateData>;
}): ReactNode {
  const known = turns.flatMap(({ stateId }) => recorded.get(stateId ?? "")?.turn ?? []);
  if (known.length === 0) return null;
  const paid = known.filter(({ offline }) => !offline).reduce((sum, { cost_usd: cost }) => sum + cost, 0);
  return <Money costUsd={paid} isOffline={known.every(({ offline }) => offline)} />;
}

/** The states of the search's turns, by their ids: they say what was paid. */
function useRecorded(workspace: string | undefined, run: RunData, count: number): ReadonlyMap<string, StateData> {
  const { data } = useQuery({
    queryKey: ["workspaces", workspace, "search", run.run, count],
    queryFn: ({ signal }) => api.states(workspace ?? "", { search: run.run, limit: 500 }, signal),
    enabled: workspace !== undefined && count > 0,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => new Map(data?.states.map((state) => [state.state_id, state])), [data]);
}

function TurnList({
  turns,
  workspace,
  recorded,
}: {
  readonly turns: readonly SearchTurn[];
  readonly workspace: string | undefined;
  readonly recorded: ReadonlyMap<string, StateData>;
}): ReactNode {
  return (
    <ul className={styles["turns"]} aria-label="Turns of the search">
      {turns.map((turn) => (
        <li key={turn.id}>
          {workspace !== undefined && turn.stateId !== undefined ? (
            <Link
              className={styles["turn"] ?? ""}
              data-best={turn.isBest}
              href={addressOf.state(workspace, turn.stateId)}
            >
              <TurnCells turn={turn} state={recorded.get(turn.stateId ?? "")} />
            </Link>
          ) : (
            <div className={styles["turn"]} data-best={turn.isBest}>
              <TurnCells turn={turn} state={recorded.get(turn.stateId ?? "")} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function TurnCells({ turn, state }: { readonly turn: SearchTurn; readonly state: StateData | undefined }): ReactNode {
  return (
    <>
      <StateBadge state={state?.turn?.outcome ?? turn.state} isIconOnly />
      <span className="cut" style={{ paddingLeft: (turn.depth - 1) * 16 }}>
        {plainLine(turn.prompt)}
        {turn.attempt > 1 && <span className="quiet"> · attempt {turn.attempt}</span>}
        {turn.isBest && <strong> · best</strong>}
        {turn.error !== undefined && <span className="quiet"> · {plainLine(turn.error)}</span>}
      </span>
      <span>{turn.reward !== undefined && <Reward value={turn.reward} />}</span>
      <span className="number">{turn.durationMs === undefined ? "" : durationText(turn.durationMs)}</span>
      <Money costUsd={state?.turn?.cost_usd} isOffline={state?.turn?.offline ?? false} />
    </>
  );
}

import { GitFork } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { useWorkspaceId } from "../../data/queries.ts";
import type { LogLine } from "../../data/run-log.ts";
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
import { RunControls } from "./run-controls.tsx";
import styles from "./run.module.css";
import { searchTurns, type SearchTurn } from "./search-turns.ts";

/** A search: its turns as they come, the best one marked, and the way to the tree. */
export function SearchRun({ run }: { readonly run: RunData }): ReactNode {
  const workspace = useWorkspaceId(run.workspace);
  const log = useRunLog(run.run);
  const go = useGo();
  const turns = useMemo(() => searchTurns(log.lines), [log.lines]);
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
          {!isOver && <RunControls run={run} />}
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
          <SearchCost lines={log.lines} run={run} />
          {run.end_reason !== null && <span className="quiet cut">{END_WORDS[run.end_reason] ?? run.end_reason}</span>}
        </div>
      }
    >
      {log.lines.length > 0 ? (
        <TurnList turns={turns} workspace={workspace} />
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

/** The money of a search is a price list's until a turn says whether it was paid. */
function SearchCost({ lines, run }: { readonly lines: readonly LogLine[]; readonly run: RunData }): ReactNode {
  const end = lines.findLast(({ event }) => event.type === "search-end")?.event;
  const cost = typeof end?.["cost_usd"] === "number" ? end["cost_usd"] : run.cost_usd;
  return cost === null ? null : <Money costUsd={cost} isOffline={run.offline} />;
}

function TurnList({
  turns,
  workspace,
}: {
  readonly turns: readonly SearchTurn[];
  readonly workspace: string | undefined;
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
              <TurnCells turn={turn} />
            </Link>
          ) : (
            <div className={styles["turn"]} data-best={turn.isBest}>
              <TurnCells turn={turn} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function TurnCells({ turn }: { readonly turn: SearchTurn }): ReactNode {
  return (
    <>
      <StateBadge state={turn.state} isIconOnly />
      <span className="cut" style={{ paddingLeft: (turn.depth - 1) * 16 }}>
        {plainLine(turn.prompt)}
        {turn.attempt > 1 && <span className="quiet"> · attempt {turn.attempt}</span>}
        {turn.isBest && <strong> · best</strong>}
        {turn.error !== undefined && <span className="quiet"> · {plainLine(turn.error)}</span>}
      </span>
      <span>{turn.reward !== undefined && <Reward value={turn.reward} />}</span>
      <span className="number">{turn.durationMs === undefined ? "" : durationText(turn.durationMs)}</span>
      <Money costUsd={turn.costUsd} />
    </>
  );
}

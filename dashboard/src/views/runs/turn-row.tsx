import { memo, type MouseEvent, type ReactNode } from "react";
import { Link } from "wouter";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { addressOf } from "../../data/url.ts";
import { Reward, StateBadge } from "../../parts/badge.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { Money, Time } from "../../parts/facts.tsx";
import { baseName, durationText } from "../../parts/format.ts";
import styles from "./runs.module.css";
import type { Turn } from "./use-states.ts";

interface RowProps {
  readonly turn: Turn | undefined;
  readonly index: number;
  readonly isActive: boolean;
  readonly isPicked: boolean;
  readonly onSelect: (index: number, isPicked: boolean) => void;
}

/** A turn as a line of the list; a grey one while its page is on the way. */
export const TurnRow = memo(function TurnRow({ turn, index, isActive, isPicked, onSelect }: RowProps): ReactNode {
  if (!turn) {
    return (
      <div className={styles["row"]} role="row" aria-rowindex={index + 2} data-active={isActive || undefined}>
        <span role="gridcell" aria-label="On its way" className={styles["coming"]} />
      </div>
    );
  }
  const { turn: came, workspace_id: workspace, state_id: state } = turn;
  const files = came ? came.files_created + came.files_modified + came.files_deleted : 0;
  const tools = came?.tools.map(({ tool, calls }) => (calls === 1 ? tool : `${tool} ${calls}`)).join(", ") ?? "";
  const prompt = titleOf(turn);
  const rewards = Object.entries(turn.rewards);
  const select = (event: MouseEvent): void => onSelect(index, event.shiftKey || event.ctrlKey || event.metaKey);
  return (
    <div
      id={`turn-${index}`}
      className={styles["row"]}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isPicked}
      data-active={isActive || undefined}
      data-picked={isPicked || undefined}
      tabIndex={-1}
      onClick={select}
      onKeyDown={undefined}
    >
      <span role="gridcell" data-column="state">
        <StateBadge state={came?.outcome ?? turn.kind} isIconOnly />
      </span>
      <span role="gridcell" data-column="prompt" className="cut">
        <Link href={addressOf.state(workspace, state)} tabIndex={-1} title={prompt.slice(0, 2000)}>
          {prompt.slice(0, 300)}
        </Link>
        {turn.checkpoints.map((name) => (
          <span key={name} className={styles["name"]}>
            {name}
          </span>
        ))}
        {turn.bookmark !== null && <span className={styles["name"]}>★ {turn.bookmark}</span>}
      </span>
      <span role="gridcell" data-column="workspace" className="cut" title={turn.workspace}>
        {baseName(turn.workspace)}
      </span>
      <span role="gridcell" data-column="model" className="cut mono" title={came?.model}>
        {came?.model.replace(/^claude-/u, "") ?? ""}
      </span>
      <span role="gridcell" data-column="tools" className="cut" title={tools}>
        {tools}
      </span>
      <span role="gridcell" data-column="files" className="number">
        {files === 0 ? "" : files}
      </span>
      <span role="gridcell" data-column="reward">
        {rewards.length > 0 && <BestReward rewards={rewards} />}
      </span>
      <span role="gridcell" data-column="cost">
        {came && <Money costUsd={came.cost_usd} isOffline={came.offline} />}
      </span>
      <span role="gridcell" data-column="took" className="number">
        {came ? durationText(came.duration_ms) : ""}
      </span>
      <span role="gridcell" data-column="time" className="small">
        <Time at={turn.recorded_at} />
      </span>
    </div>
  );
});

/** A turn may have several rewards: lists are sorted by the whole one, or by the best where none is the whole. */
function BestReward({ rewards }: { readonly rewards: readonly (readonly [string, number])[] }): ReactNode {
  const [name, value] =
    rewards.find(([each]) => each === "reward") ?? rewards.reduce((best, each) => (each[1] > best[1] ? each : best));
  const all = rewards.map(([one, reward]) => `${one} ${reward}`).join(", ");
  return <Reward value={value} name={rewards.length > 1 ? all : name} />;
}

function titleOf({ kind, turn }: Turn): string {
  const prompt = turn?.prompt.trim().replaceAll(/\s+/gu, " ") ?? "";
  if (prompt !== "") return prompt;
  return kind === "edit" ? "Files changed outside of any turn" : kind === "start" ? "Start of a conversation" : kind;
}

/** A run that goes on, in the same columns. */
export function LiveRow({ run }: { readonly run: RunData }): ReactNode {
  return (
    <div className={styles["row"]} role="row" data-live>
      <span role="gridcell" data-column="state">
        <StateBadge state={run.activity} isIconOnly />
      </span>
      <span role="gridcell" data-column="prompt" className="cut">
        <Link href={addressOf.run(run.run)}>{(run.prompt ?? run.strategy ?? "A run").slice(0, 300)}</Link>
      </span>
      <span role="gridcell" data-column="workspace" className="cut" title={run.workspace}>
        {baseName(run.workspace)}
      </span>
      <span role="gridcell" data-column="model" className="cut mono">
        {run.model?.replace(/^claude-/u, "") ?? ""}
      </span>
      <span role="gridcell" data-column="tools" className="cut">
        {run.tool ?? ""}
      </span>
      <span role="gridcell" aria-label="No files yet" data-column="files" />
      <span role="gridcell" aria-label="No reward yet" data-column="reward" />
      <span role="gridcell" data-column="cost">
        {run.cost_usd !== null && <Money costUsd={run.cost_usd} isOffline={run.offline} />}
      </span>
      <span role="gridcell" data-column="took">
        <Elapsed since={run.started_at} />
      </span>
      <span role="gridcell" data-column="time" className="small">
        now
      </span>
    </div>
  );
}

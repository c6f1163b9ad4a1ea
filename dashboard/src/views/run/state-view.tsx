import { useMemo, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { addressOf, useParam } from "../../data/url.ts";
import { View } from "../../frame/view.tsx";
import { Badge, Reward, StateBadge } from "../../parts/badge.tsx";
import { Directory } from "../../parts/directory.ts";
import { Money, Time } from "../../parts/facts.tsx";
import { baseName, countText, durationText } from "../../parts/format.ts";
import { Answered, ErrorNote, Loading } from "../../parts/note.tsx";
import { plainLine } from "../../parts/plain.ts";
import { LevelSelect, Timeline, useLevel } from "../../parts/timeline.tsx";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { FactsPane } from "./facts-pane.tsx";
import { RecordedFiles } from "./recorded-files.tsx";
import { RebuiltPane } from "./rebuilt-pane.tsx";
import type { ReplayPlace } from "./replay.ts";
import { ReplayBar } from "./replay-bar.tsx";
import styles from "./run.module.css";
import { Split } from "./split.tsx";
import { TurnActions } from "./turn-actions.tsx";
import { upToStep } from "./up-to-step.ts";
import { useConversationPath, useTurnDetail, useTurnTimeline, useWorkspacePath } from "./use-turn.ts";

/** A recorded turn: what happened, the files that are different, what it came to; and a replay through its conversation. */
export function StateView({
  workspace,
  state,
  isAtEnd = false,
}: {
  readonly workspace: string;
  readonly state: string;
  /** Whether the timeline begins at its end, because somebody has just watched it. */
  readonly isAtEnd?: boolean;
}): ReactNode {
  const detail = useTurnDetail(workspace, state);
  const path = useConversationPath(workspace, {
    conversation: detail.data?.conversation_id,
    state: detail.data?.state_id,
  });
  if (!detail.data) {
    return (
      <View title="Turn">
        <Answered query={detail} what="the turn">
          {() => null}
        </Answered>
      </View>
    );
  }
  return (
    <Turn
      workspace={workspace}
      detail={detail.data}
      path={path}
      isAtEnd={isAtEnd}
      isCurrent={!detail.isPlaceholderData}
      wanted={state}
    />
  );
}

interface TurnProps {
  readonly workspace: string;
  readonly detail: Api.StateDetail;
  /** The turns of the conversation on the way through this one. */
  readonly path: readonly Api.StateData[];
  readonly isAtEnd: boolean;
  /** Whether it is what was asked for, and not the turn before that, shown meanwhile. */
  readonly isCurrent: boolean;
  /** The state that was asked for. */
  readonly wanted: string;
}

function Turn({ workspace, detail, path, isAtEnd, isCurrent, wanted }: TurnProps): ReactNode {
  const [, navigate] = useLocation();
  const given = useStep();
  const made = detail.transition?.tools.length ?? 0;
  const step = isCurrent && given !== undefined && given < made ? given : undefined;
  const [level, setLevel] = useLevel();
  const number = path.findIndex(({ state_id: id }) => id === detail.state_id);
  const turns = useMemo(() => path.map((each) => ({ stateId: each.state_id, calls: callsOf(each) })), [path]);
  const data = path[number];
  const move = (place: ReplayPlace): void => {
    const query = new URLSearchParams(location.search);
    if (place.step === undefined) query.delete("step");
    else query.set("step", String(place.step));
    const text = query.toString();
    navigate(addressOf.state(workspace, place.stateId) + (text === "" ? "" : `?${text}`), { replace: true });
  };
  const timeline = useTurnTimeline(workspace, detail.state_id, detail.transition);
  return (
    <View
      title={plainLine(detail.transition?.prompt.text ?? TITLES[detail.kind], 200) || "A turn without a prompt"}
      crumbs={<Crumb workspace={workspace} />}
      actions={
        <TurnActions
          workspace={workspace}
          detail={detail}
          previous={path[number - 1]?.state_id}
          next={path[number + 1]?.state_id}
        />
      }
      toolbar={
        <>
          {data && <Summary data={data} />}
          <ReplayBar
            turns={turns}
            place={isCurrent ? { stateId: detail.state_id, step } : { stateId: wanted, step: given }}
            isReady={isCurrent && (timeline.timeline !== undefined || detail.transition === null)}
            onMove={move}
          />
          <LevelSelect level={level} onChange={setLevel} />
        </>
      }
    >
      <Split
        mainName="Timeline"
        main={
          <TurnTimelineView
            workspace={workspace}
            detail={detail}
            step={step}
            isAtEnd={isAtEnd}
            level={level}
            {...timeline}
          />
        }
        tabs={[
          {
            value: "files",
            label: "Files",
            panel:
              step === undefined ? (
                <RecordedFiles workspace={workspace} state={detail.state_id} />
              ) : (
                <Rebuilt workspace={workspace} detail={detail} step={step} {...timeline} />
              ),
          },
          { value: "facts", label: "Facts", panel: <FactsPane workspace={workspace} detail={detail} data={data} /> },
        ]}
      />
    </View>
  );
}

const TITLES = {
  start: "The beginning of the conversation",
  turn: "Turn",
  edit: "Files that were changed outside of any turn",
} as const;

/** After how many calls the replay stands within the turn. */
function useStep(): number | undefined {
  const given = useParam("step");
  const step = given === undefined ? Number.NaN : Number(given);
  return Number.isInteger(step) && step >= 0 ? step : undefined;
}

function callsOf({ turn }: Api.StateData): number {
  return turn?.tools.reduce((sum, { calls }) => sum + calls, 0) ?? 0;
}

function Crumb({ workspace }: { readonly workspace: string }): ReactNode {
  const path = useWorkspacePath(workspace);
  return (
    <>
      <Link href={addressOf.tree(workspace)} title={path}>
        {baseName(path ?? workspace)}
      </Link>
      <span aria-hidden>/</span>
    </>
  );
}

function Summary({
  data: { turn, rewards, recorded_at: at, is_here: isHere },
}: {
  readonly data: Api.StateData;
}): ReactNode {
  const best = Object.values(rewards);
  return (
    <div className={styles["summary"]}>
      {turn && <StateBadge state={turn.outcome} />}
      {best.length > 0 && <Reward value={Math.max(...best)} />}
      {turn && <Money costUsd={turn.cost_usd} isOffline={turn.offline} />}
      {turn && <span className="number">{durationText(turn.duration_ms)}</span>}
      <span className="quiet">
        <Time at={at} />
      </span>
      {isHere && <Badge meaning="neutral">the directory is here</Badge>}
    </div>
  );
}

function TurnTimelineView({
  workspace,
  detail,
  timeline,
  error,
  level,
  step,
  isAtEnd,
}: ReturnType<typeof useTurnTimeline> & {
  readonly workspace: string;
  readonly detail: Api.StateDetail;
  readonly level: ReturnType<typeof useLevel>[0];
  readonly step: number | undefined;
  readonly isAtEnd: boolean;
}): ReactNode {
  const calls = detail.transition?.tools;
  const own = useWorkspacePath(workspace);
  const directory = timeline?.directory ?? own;
  const entries = useMemo(
    () =>
      timeline && step !== undefined ? upToStep(timeline.entries, (calls ?? []).slice(0, step)) : timeline?.entries,
    [timeline, calls, step],
  );
  if (detail.transition === null) {
    return <p className={styles["nothing"]}>{TITLES[detail.kind]}: no turn led to this state, so nothing was said.</p>;
  }
  if (error) return <ErrorNote error={error} />;
  if (!timeline || !entries) return <Loading lines={5} what="the timeline" />;
  const isPartial = step !== undefined;
  return (
    <Directory value={directory}>
      <Timeline
        key={`${detail.state_id}${isPartial ? " replay" : ""}`}
        entries={entries}
        raw={timeline.raw}
        level={isPartial && level === "conversation" ? "simple" : level}
        isFollowing={isAtEnd || isPartial}
      />
    </Directory>
  );
}

const NONE: NonNullable<Api.StateDetail["transition"]>["tools"] = [];

function Rebuilt({
  workspace,
  detail,
  step,
  timeline,
  error,
}: ReturnType<typeof useTurnTimeline> & {
  readonly workspace: string;
  readonly detail: Api.StateDetail;
  readonly step: number;
}): ReactNode {
  const calls = detail.transition?.tools ?? NONE;
  // Whose directory it was is told there: until then no edit is taken for one of these files.
  if (!timeline && !error) return <Loading what="where the agent worked" />;
  const commands = calls.slice(0, step).filter(({ tool }) => tool === "Bash").length;
  return (
    <RebuiltPane
      workspace={workspace}
      directory={timeline?.directory}
      parent={detail.parent_id}
      calls={calls}
      step={step}
      note={
        commands === 0
          ? "Rebuilt from the edits of file tools."
          : `Rebuilt from the edits of file tools: what ${countText(commands, "command")} changed shows at the turn's end.`
      }
    />
  );
}

import { Play } from "lucide-react";
import { useMutation } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import { api } from "../../data/api.ts";
import { useHealth } from "../../data/queries.ts";
import { addressOf, useParam, useSetParams } from "../../data/url.ts";
import { useLive } from "../../data/use-live.ts";
import { useKeys } from "../../frame/keys.ts";
import { View } from "../../frame/view.tsx";
import { StateBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { Money } from "../../parts/facts.tsx";
import { baseName, countText, durationText } from "../../parts/format.ts";
import { Answered, ErrorLine } from "../../parts/note.tsx";
import { plainLine, plainText } from "../../parts/plain.ts";
import { QuestionCards } from "../../parts/question-cards.tsx";
import { InterruptButton } from "../run/run-controls.tsx";
import { Evidence } from "./evidence.tsx";
import { HandoffList } from "./handoff-list.tsx";
import { keysInOrder, type Team } from "./lanes.ts";
import { PlanTable } from "./plan-table.tsx";
import { TeamLanes } from "./team-lanes.tsx";
import styles from "./team.module.css";
import { useTeam } from "./use-team.ts";

/** A manager and its workers: the plan, who did what, and the evidence of each round. */
export function TeamView({ team: id }: { readonly team: string }): ReactNode {
  const query = useTeam(id);
  if (query.data) return <Shown team={query.data.team} />;
  return (
    <View title="Team">
      <Answered query={query} what="the team">
        {() => null}
      </Answered>
    </View>
  );
}

function Shown({ team }: { readonly team: Team }): ReactNode {
  const selected = useParam("select");
  const set = useSetParams();
  const select = (key: string | undefined): void => set({ select: key });
  useSteps(team, selected, select);
  const asked = useLive((live) => live.questions);
  const questions = useMemo(() => [...asked.values()].filter(({ run }) => run === team.run), [asked, team.run]);
  const goal = plainText(team.goal);
  return (
    <View
      title={plainLine(team.goal, 200)}
      crumbs={
        <>
          <Link href={addressOf.teams()}>Team</Link> <span aria-hidden>/</span>
        </>
      }
      actions={<Actions team={team} />}
      toolbar={<Sums team={team} isAsking={questions.length > 0} />}
      inspector={selected !== undefined && <Evidence team={team} selected={selected} onSelect={select} />}
    >
      <div className={styles["body"]}>
        {goal.includes("\n") && <p className={styles["goal"]}>{goal}</p>}
        <QuestionCards questions={questions} isRunShown={false} />
        <PlanTable team={team} selected={selected} onSelect={select} />
        <TeamLanes team={team} selected={selected} onSelect={select} />
        <HandoffList team={team} onSelect={select} />
      </div>
    </View>
  );
}

/** Bars are walked by keys in the order in which they begin. */
function useSteps(team: Team, selected: string | undefined, select: (key: string) => void): void {
  const keys = useMemo(() => keysInOrder(team), [team]);
  const step = (by: number): void => {
    const place = keys.indexOf(selected ?? "");
    const next =
      keys[place === -1 ? (by > 0 ? 0 : keys.length - 1) : Math.max(0, Math.min(keys.length - 1, place + by))];
    if (next !== undefined) select(next);
  };
  useKeys([
    { key: "j", label: "Next turn of the team", run: () => step(1), isDisabled: keys.length === 0 },
    { key: "k", label: "Turn before", run: () => step(-1), isDisabled: keys.length === 0 },
  ]);
}

function Actions({ team }: { readonly team: Team }): ReactNode {
  const run = useLive(({ runs }) => (team.run === null ? undefined : runs.get(team.run)));
  const health = useHealth().data;
  const resume = useMutation({
    mutationFn: async () =>
      await api.resumeTeam(team.team, {
        ...(health?.allow_commands === true && { ask: "remote" as const }),
      }),
  });
  if (run?.state === "running") return <InterruptButton run={run} />;
  // What the offline model played, or may have, is not gone on with for money by one click: the command can name its scenario.
  const mayBeOffline = team.offline || team.efficiency.rounds === 0;
  const isOver = team.state === "running" || team.outcome === "completed" || mayBeOffline;
  if (isOver || health?.read_only === true) return null;
  return (
    <>
      <ErrorLine error={resume.error} />
      <Button size="small" icon={<Play />} disabled={resume.isPending} onClick={() => resume.mutate()}>
        {resume.isPending ? "Starting…" : "Go on"}
      </Button>
    </>
  );
}

const OUTCOMES: Readonly<Record<string, string>> = {
  completed: "every item is done",
  partial: "some items are not done",
  budget: "the budget is spent",
  deadline: "the time is over",
  iterations: "the workers have had all their turns",
  cancelled: "it was interrupted",
  stopped: "a person ended it",
  failed: "it failed",
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** How it stands, and how well it works together. */
function Sums({ team, isAsking }: { readonly team: Team; readonly isAsking: boolean }): ReactNode {
  const { state, outcome, items, efficiency, cost_usd: cost, offline, started_at: from, updated_at: to } = team;
  const merged = items.filter(({ status }) => status === "merged").length;
  const badge = outcome === "completed" ? "completed" : outcome === "failed" ? "failed" : state;
  // Whether anybody paid is known from the first worker's turn on.
  const isPaidKnown = efficiency.rounds > 0;
  const backs = [
    ["the files", efficiency.sent_back_by_evidence],
    ["gates", efficiency.sent_back_by_gates],
    ["the manager", efficiency.sent_back_by_manager],
  ] as const;
  return (
    <div className={styles["facts"]}>
      <StateBadge state={isAsking ? "waiting" : badge} />
      {state === "running" ? (
        <Elapsed since={from} />
      ) : (
        <span className="number">{durationText(Date.parse(to) - Date.parse(from))}</span>
      )}
      <span className="quiet">{baseName(team.workspace)}</span>
      {items.length > 0 && (
        <span>
          {merged} of {countText(items.length, "item")} merged
        </span>
      )}
      {outcome !== null && outcome !== "completed" && <span className="quiet">{OUTCOMES[outcome] ?? outcome}</span>}
      <span>{countText(efficiency.rounds, "round")}</span>
      {efficiency.approved_per_round !== null && (
        <span className="quiet">{efficiency.approved_per_round.toFixed(2)} items a round</span>
      )}
      {backs.map(([who, part]) =>
        part === null || part === 0 ? null : (
          <span key={who} className="quiet">
            {percent(part)} sent back by {who}
          </span>
        ),
      )}
      {isPaidKnown && cost > 0 && <Money costUsd={cost} isOffline={offline} />}
      {isPaidKnown && efficiency.manager_cost_share !== null && (
        <span className="quiet">{percent(efficiency.manager_cost_share)} of the cost is the manager’s</span>
      )}
    </div>
  );
}

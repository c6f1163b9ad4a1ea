import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { addressOf, useParam, useSetParams } from "../../data/url.ts";
import { useKeys } from "../../frame/keys.ts";
import { View } from "../../frame/view.tsx";
import { StateBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Money, Time } from "../../parts/facts.tsx";
import { baseName, countText } from "../../parts/format.ts";
import { Answered, Empty } from "../../parts/note.tsx";
import { plainLine } from "../../parts/plain.ts";
import { StartTeam } from "./start-team.tsx";
import styles from "./team.module.css";
import { useTeams } from "./use-team.ts";

/** Managers with their workers, the newest first. */
export function TeamsView(): ReactNode {
  const query = useTeams();
  const isStarting = useParam("start") !== undefined;
  const set = useSetParams();
  const start = (): void => set({ start: "team" });
  useKeys([{ key: "s", label: "Start a team", run: start }]);
  return (
    <View
      title="Team"
      actions={
        <Button look="primary" icon={<Plus />} shortcut="s" onClick={start}>
          Start a team
        </Button>
      }
    >
      <Answered query={query} what="the teams">
        {({ teams }) => (teams.length === 0 ? <NoTeam /> : <List teams={teams} />)}
      </Answered>
      {isStarting && <StartTeam onClose={() => set({ start: undefined, offline: undefined })} />}
    </View>
  );
}

function NoTeam(): ReactNode {
  return (
    <Empty title="No team yet" command={'skein team "Build a list of tasks" --gate "npm test" --workers 2'}>
      A manager takes a goal apart, workers do the items on branches, and what gets in is decided by the evidence: who
      did what, what was sent back and why is shown here, while it happens.
    </Empty>
  );
}

function List({ teams }: { readonly teams: Api.TeamList["teams"] }): ReactNode {
  return (
    <ul className={styles["list"]} aria-label="Teams">
      {teams.map((team) => (
        <li key={team.team}>
          <Link href={addressOf.team(team.team)} className={styles["team"] ?? ""}>
            <StateBadge state={team.outcome === "completed" || team.outcome === "failed" ? team.outcome : team.state} />
            <strong className="cut">{plainLine(team.goal, 300)}</strong>
            <span className="quiet cut">{baseName(team.workspace)}</span>
            <span className="number">
              {team.merged} of {team.items} merged
            </span>
            <span className="number quiet">{countText(team.rounds, "round")}</span>
            <span>
              <Money costUsd={team.rounds > 0 ? team.cost_usd : null} isOffline={team.offline} />{" "}
              <span className="quiet small">
                <Time at={team.started_at} />
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

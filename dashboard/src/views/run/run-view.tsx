import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Redirect } from "wouter";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { useWorkspaceId } from "../../data/queries.ts";
import { addressOf } from "../../data/url.ts";
import { useLive } from "../../data/use-live.ts";
import { View } from "../../frame/view.tsx";
import { Answered } from "../../parts/note.tsx";
import { LiveRun } from "./live-run.tsx";
import { SearchRun } from "./search-run.tsx";
import { StateView } from "./state-view.tsx";

/** A run while it goes on; once it has ended, the turn that was recorded of it, or the turns of a search. */
export function RunView({ run: id }: { readonly run: string }): ReactNode {
  const live = useLive(({ runs }) => runs.get(id));
  const asked = useQuery({
    queryKey: ["runs", "run", id],
    queryFn: ({ signal }) => api.run(id, signal),
    enabled: live === undefined,
  });
  const run = live ?? asked.data?.run;
  if (!run) {
    return (
      <View title="Run">
        <Answered query={asked} what="the run">
          {() => null}
        </Answered>
      </View>
    );
  }
  if (run.kind === "team") return <Redirect to={addressOf.team(run.team ?? "")} replace />;
  return run.kind === "search" ? <SearchRun run={run} /> : <TurnRun run={run} />;
}

function TurnRun({ run }: { readonly run: RunData }): ReactNode {
  const workspace = useWorkspaceId(run.workspace);
  const isRunning = run.state === "running";
  const [wasWatched] = useState(isRunning);
  if (!isRunning && run.state_id !== null && workspace !== undefined) {
    return <StateView workspace={workspace} state={run.state_id} isAtEnd={wasWatched} />;
  }
  return <LiveRun run={run} workspace={workspace} />;
}

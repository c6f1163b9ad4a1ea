import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense, type ReactNode } from "react";
import { Route, Switch } from "wouter";
import { queries } from "./data/live.ts";
import { Frame } from "./frame/frame.tsx";
import { Empty, Loading } from "./parts/note.tsx";
import { Guard } from "./frame/guard.tsx";

// Views are loaded when they are opened: the first picture needs the frame and one of them.
const Now = lazy(async () => ({ default: (await import("./views/now/now-view.tsx")).NowView }));
const Runs = lazy(async () => ({ default: (await import("./views/runs/runs-view.tsx")).RunsView }));
const Run = lazy(async () => ({ default: (await import("./views/run/run-view.tsx")).RunView }));
const State = lazy(async () => ({ default: (await import("./views/run/state-view.tsx")).StateView }));
const Trees = lazy(async () => ({ default: (await import("./views/tree/trees-view.tsx")).TreesView }));
const Tree = lazy(async () => ({ default: (await import("./views/tree/tree-view.tsx")).TreeView }));
const Files = lazy(async () => ({ default: (await import("./views/files/files-view.tsx")).FilesView }));
const Sessions = lazy(async () => ({ default: (await import("./views/sessions/sessions-view.tsx")).SessionsView }));
const Session = lazy(async () => ({ default: (await import("./views/sessions/session-view.tsx")).SessionView }));
const Teams = lazy(async () => ({ default: (await import("./views/team/teams-view.tsx")).TeamsView }));
const Team = lazy(async () => ({ default: (await import("./views/team/team-view.tsx")).TeamView }));
const Costs = lazy(async () => ({ default: (await import("./views/costs/costs-view.tsx")).CostsView }));

/** The whole page. */
export function App(): ReactNode {
  return (
    <QueryClientProvider client={queries}>
      <Frame>
        <Guard>
          <Suspense fallback={<Loading what="the view" />}>
            <Switch>
              <Route path="/" component={Now} />
              <Route path="/runs" component={Runs} />
              <Route path="/runs/:run">{({ run }) => <Run key={run} run={run} />}</Route>
              <Route path="/tree" component={Trees} />
              <Route path="/w/:workspace/tree">
                {({ workspace }) => <Tree key={workspace} workspace={workspace} />}
              </Route>
              <Route path="/w/:workspace/states/:state">
                {({ workspace, state }) => <State key={workspace} workspace={workspace} state={state} />}
              </Route>
              <Route path="/w/:workspace/files">
                {({ workspace }) => <Files key={workspace} workspace={workspace} />}
              </Route>
              <Route path="/sessions" component={Sessions} />
              <Route path="/sessions/:session">{({ session }) => <Session key={session} session={session} />}</Route>
              <Route path="/team" component={Teams} />
              <Route path="/team/:team">{({ team }) => <Team key={team} team={team} />}</Route>
              <Route path="/costs" component={Costs} />
              <Route>
                <Empty title="There is nothing at this address">The link is wrong, or from another version.</Empty>
              </Route>
            </Switch>
          </Suspense>
        </Guard>
      </Frame>
    </QueryClientProvider>
  );
}

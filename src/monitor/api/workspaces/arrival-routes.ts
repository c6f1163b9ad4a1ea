import { z } from "zod";
import { RestoreData, toRestoreData } from "../../../protocol/index.ts";
import { restoreState, takeDirectory, undoLastTurn, type Arrival } from "../../../trace/internal.ts";
import { freeBranchPlace, type Workspace } from "../../../workspace/internal.ts";
import { route, type ApiContext, type Route } from "../route.ts";
import { stateName } from "./state-routes.ts";
import { workspaceParameter } from "./workspace-routes.ts";

const parameters = z.strictObject(workspaceParameter);

const state = stateName.describe("A state by any of its names: its id or the beginning of it, a checkpoint, `@~1`");

const onConflict = z
  .enum(["refuse", "merge", "discard"])
  .default("refuse")
  .describe(
    "Where the same lines were changed after the turn: change nothing, keep both with marks, or discard the later change",
  );

const arrived = { data: RestoreData, parameters };

interface Arriving {
  /** Only tell what would change. */
  readonly dryRun: boolean;
}

/** Does something to the files of a workspace's directory, or tells what it would do; nobody else writes there meanwhile. */
async function arrive(
  { id, dryRun }: Arriving & { readonly id: string },
  { workspaces }: ApiContext,
  work: (workspace: Workspace) => Promise<Arrival>,
): Promise<RestoreData> {
  return await workspaces.use(id, async ({ workspace }) => {
    await using _ = dryRun ? undefined : await takeDirectory(workspace);
    return toRestoreData(workspace, await work(workspace));
  });
}

/** Two addresses for what makes the directory equal to a state: what it would change, and the change itself. */
function restoring(name: "restore" | "adopt", what: string): readonly [Route, Route] {
  const path = `/api/workspaces/{workspace}/${name}`;
  const preview = route({
    ...arrived,
    path,
    operation: `preview${name === "adopt" ? "Adopt" : "Restore"}`,
    summary: `What would change in the directory: ${what}`,
    query: z.strictObject({ state }),
    answer: async ({ workspace: id, state: to }, context) =>
      await arrive({ id, dryRun: true }, context, (workspace) => restoreState(workspace, to, { dryRun: true })),
  });
  const change = route({
    ...arrived,
    method: "POST",
    path,
    operation: name,
    summary: what,
    body: z.strictObject({
      state,
      replace_unrecorded: z
        .boolean()
        .default(false)
        .describe(
          "Whether work that no recorded turn made may go; `way_back` holds it. Otherwise nothing is changed where there is any",
        ),
    }),
    answer: async ({ workspace: id, body }, context) => {
      const onUnrecorded = body.replace_unrecorded ? "replace" : "refuse";
      const how = { onUnrecorded, isClaimed: true } as const;
      return await arrive({ id, dryRun: false }, context, (workspace) => restoreState(workspace, body.state, how));
    },
  });
  return [preview, change];
}

export const RESTORE_ROUTES = restoring("restore", "Puts the files back to a state");
export const ADOPT_ROUTES = restoring("adopt", "Brings a branch's state and conversation into the directory");

export const previewUndo = route({
  ...arrived,
  path: "/api/workspaces/{workspace}/undo",
  operation: "previewUndo",
  summary: "What would change in the directory if the last turn were taken back",
  query: z.strictObject({ on_conflict: onConflict }),
  answer: async ({ workspace: id, on_conflict: how }, context) =>
    await arrive({ id, dryRun: true }, context, (workspace) =>
      undoLastTurn(workspace, { onConflict: how, dryRun: true }),
    ),
});

export const undo = route({
  ...arrived,
  method: "POST",
  path: "/api/workspaces/{workspace}/undo",
  operation: "undo",
  summary: "Takes back the last turn: files, git and session",
  body: z.strictObject({ on_conflict: onConflict }),
  answer: async ({ workspace: id, body }, context) =>
    await arrive({ id, dryRun: false }, context, (workspace) =>
      undoLastTurn(workspace, { onConflict: body.on_conflict, isClaimed: true }),
    ),
});

export const createBranch = route({
  method: "POST",
  path: "/api/workspaces/{workspace}/branches",
  operation: "createBranch",
  summary: "Makes a working copy of a state beside the workspace",
  parameters,
  body: z.strictObject({ state }),
  data: z.strictObject({
    state_id: z.string().describe("The state that the branch starts at"),
    directory: z.string().describe("Where the live copy is: a new folder beside the workspace"),
    origin: z.string().describe("The workspace that it is a copy of"),
  }),
  async answer({ workspace: id, body }, { workspaces }) {
    return await workspaces.use(id, async ({ workspace }) => {
      const from = await workspace.states.resolve(body.state);
      await using made = await workspace.branch(from, freeBranchPlace(workspace, from));
      return { state_id: from, directory: made.path, origin: made.origin };
    });
  },
});

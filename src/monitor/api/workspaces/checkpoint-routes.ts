import { z } from "zod";
import { recordPresent, takeDirectory } from "../../../trace/internal.ts";
import type { StateId, Workspace } from "../../../workspace/internal.ts";
import { notFound } from "../not-found.ts";
import { route } from "../route.ts";
import { stateName } from "./state-routes.ts";
import { workspaceParameter } from "./workspace-routes.ts";

const parameters = z.strictObject({
  ...workspaceParameter,
  checkpoint: z.string().min(1).max(100).describe("The name: letters, digits, dots, dashes and underscores"),
});

const Named = z.strictObject({
  name: z.string().describe("The checkpoint's name"),
  state_id: z.string().describe("The state that it names, or named"),
});

export const setCheckpoint = route({
  method: "PUT",
  path: "/api/workspaces/{workspace}/checkpoints/{checkpoint}",
  operation: "setCheckpoint",
  summary: "Names a state, or the files as they are now",
  parameters,
  body: z.strictObject({
    state: stateName.optional().describe("The state to name; the files as they are now where it is left out"),
    replace: z.boolean().default(false).describe("Whether a name that is taken is moved"),
  }),
  data: Named,
  async answer({ workspace: id, checkpoint: name, body: { state, replace } }, { workspaces }) {
    return await workspaces.use(id, async ({ workspace }) => {
      const { states } = workspace;
      // A name that is taken is refused below, before anything is recorded for it.
      const before = replace ? undefined : (await states.checkpoints()).get(name);
      const named = state === undefined ? (before ?? (await recordNow(workspace))) : await states.resolve(state);
      await states.setCheckpoint(name, named, { replace });
      return { name, state_id: named };
    });
  },
});

export const removeCheckpoint = route({
  method: "DELETE",
  path: "/api/workspaces/{workspace}/checkpoints/{checkpoint}",
  operation: "removeCheckpoint",
  summary: "Takes a checkpoint's name away; the state stays",
  parameters,
  data: Named,
  async answer({ workspace: id, checkpoint: name }, { workspaces }) {
    return await workspaces.use(id, async ({ workspace: { states } }) => {
      const named = (await states.checkpoints()).get(name);
      if (named === undefined || !(await states.removeCheckpoint(name))) throw notFound("checkpoint", name);
      return { name, state_id: named };
    });
  },
});

async function recordNow(workspace: Workspace): Promise<StateId> {
  await using _ = await takeDirectory(workspace);
  return (await recordPresent(workspace)).id;
}

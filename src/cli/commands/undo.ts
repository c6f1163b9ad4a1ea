import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import { findInterruptedTurns } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { defineCommand } from "../define-command.ts";
import { cwdFlag, openWorkspace } from "../open-workspace.ts";
import { formatRestore, RestoreData } from "../states/restore-data.ts";
import { restoreState, stateBeforeLastTurn } from "../states/restore-state.ts";

/** Takes back the last turn. */
export const undo = defineCommand({
  name: "undo",
  summary: "Take back the last turn: files, git and session",
  heading: "Recorded states:",
  args: z.object({
    cwd: cwdFlag,
    dryRun: z.boolean().default(false).meta({ description: "Only tell what would change" }),
  }),
  data: RestoreData,
  examples: ["undo", "undo --dry-run"],
  async run({ cwd, dryRun }, context) {
    await using workspace = await openWorkspace(cwd);
    return await restoreState(workspace, { find: () => findBefore(workspace), dryRun }, context);
  },
  format: formatRestore,
});

async function findBefore(workspace: Workspace): Promise<string> {
  // Only in a dry run is one left: otherwise it was recorded before.
  const [cutOff] = await findInterruptedTurns(workspace);
  const before = cutOff?.beforeStateId ?? (await stateBeforeLastTurn(workspace));
  if (before !== undefined) return before;
  throw new SkeinError("There is no turn to undo", {
    kind: "state_not_found",
    target: workspace.path,
    hint: "skein log lists what was recorded; skein restore goes to any state",
  });
}

import { z } from "zod";
import type { Arrival } from "../../trace/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { asData } from "../command/wire-keys.ts";
import { FilesData, toFilesData } from "./files-data.ts";
import { gitLeftOut, GitLeftOutData, UnheldData } from "./left-out-data.ts";

export const RestoreData = z.strictObject({
  state_id: z.string().describe("The state that the directory is at now, or would be"),
  subject: z.string().describe("The prompt of the turn that led to it, or what it is"),
  dry_run: z.boolean().describe("Whether it was only looked at, and nothing changed"),
  files: FilesData.describe("What was changed in the directory, or would be"),
  kept: z.array(z.string()).describe("What came since and was left because no snapshot holds it"),
  kept_since: z
    .array(z.string())
    .describe("What an undo kept of what was done since the turn; empty for a restore, which is exact"),
  merged: z.array(z.string()).describe("Files in which an undo took back the turn's change and kept a later one"),
  conflicts: z
    .array(
      z.strictObject({
        path: z.string().describe("The file, below the workspace"),
        why: z.string().describe("What the two changes are"),
      }),
    )
    .describe("Where both changed the same, and `--merge` or `--discard` settled it"),
  unrecorded: z
    .array(z.string())
    .describe("What a restore deleted or wrote over, or would, although no recorded turn made it"),
  unheld: z
    .array(UnheldData)
    .describe("What no state holds and is not as it was then: it was not brought back, and not deleted"),
  git: z
    .enum(["same", "restored", "absent", "missing", "would-restore"])
    .describe(
      "What became of the user's repository; `absent` where the state holds none, `missing` where it holds one and none is there",
    ),
  git_left_out: GitLeftOutData.describe("The git repository that no state holds; null where there is none such"),
  way_back: z
    .string()
    .nullable()
    .describe("The state that the directory was in before: a restore of it takes this back; null in a dry run"),
});

export type RestoreData = z.infer<typeof RestoreData>;

export function toRestoreData(workspace: Workspace, arrival: Arrival): RestoreData {
  const { state, wayBack, changes } = arrival;
  return asData(RestoreData, {
    ...arrival,
    stateId: state.id,
    subject: state.subject,
    dryRun: wayBack === undefined,
    files: toFilesData(changes),
    gitLeftOut: gitLeftOut(workspace),
  });
}

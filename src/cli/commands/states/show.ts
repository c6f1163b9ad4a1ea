import { resolve } from "node:path";
import { z } from "zod";
import { readNote, readStateFile, TraceIndex, type State } from "../../../trace/index.ts";
import type { Workspace } from "../../../workspace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { formatShownState } from "../../states/format-shown-state.ts";
import { formatFiles } from "../../states/patch-lines.ts";
import { ShownState, toHeldFile, toShownState, toShownTurn } from "../../states/shown-state.ts";
import { toFilesData, type FilesData } from "../../turn/files-data.ts";
import { switchFlag, stateArgument } from "../../common-flags.ts";

export const show = defineCommand({
  name: "show",
  summary: "Show everything about a state",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    state: stateArgument,
    files: switchFlag("List every file that the state holds: mode, size, path"),
    cwd: cwdFlag,
  }),
  positional: ["state"],
  data: ShownState,
  examples: ["show @", "show before-vue --output-format json", "show @~2 --files"],
  async run({ state: name, files, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const { states } = workspace;
    const state = await readStateFile(states, await states.resolve(name));
    const shown = toShownState(state, {
      checkpoints: [...(await states.checkpoints())].filter(([, id]) => id === state.id).map(([named]) => named),
      is_here: (await states.head())?.stateId === state.id,
      files: await changedIn(workspace, state),
      all_files: files ? await filesOf(workspace, state) : null,
      ...(await turnOf(workspace, state)),
    });
    const text = shown.all_files
      ? formatFiles(shown.all_files, context)
      : formatShownState(shown, context, resolve(workspace.path));
    await context.print(text);
    return shown;
  },
});

async function filesOf(workspace: Workspace, { id }: State): Promise<NonNullable<ShownState["all_files"]>> {
  const files = [];
  for await (const file of workspace.files(id)) files.push(toHeldFile(file));
  return files;
}

async function changedIn(workspace: Workspace, { id, parentId }: State): Promise<FilesData> {
  return toFilesData(parentId === undefined ? [] : await workspace.diff(parentId, id));
}

async function turnOf(
  workspace: Workspace,
  { id, kind }: State,
): Promise<Pick<ShownState, "turn" | "rewards" | "note_problem">> {
  const { rewards, problem = null } = await readNote(workspace, id);
  if (kind !== "turn") return { turn: null, rewards: { ...rewards }, note_problem: problem };
  await using index = await TraceIndex.open(workspace);
  const transition = await index.load(id);
  if (!transition) return { turn: null, rewards: {}, note_problem: problem };
  const turn = toShownTurn(transition, await transition.toolExecutions());
  return { turn, rewards: { ...transition.rewards }, note_problem: problem };
}

import { resolve } from "node:path";
import { z } from "zod";
import { asData, type Recorded, toFilesData } from "../../../protocol/index.ts";
import { readNote, readStateFile, readTransitionOf, type State, type Transition } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { stateArgument, switchFlag } from "../../common-flags.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { formatShownState } from "../../states/format-shown-state.ts";
import { formatFiles } from "../../states/patch-lines.ts";
import { ShownState, toHeldFile, toShownTurn } from "../../states/shown-state.ts";

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
    const { place, ...told } = await turnOf(workspace, state);
    const shown = asData(ShownState, {
      ...state,
      stateId: state.id,
      checkpoints: [...(await states.checkpoints())].filter(([, id]) => id === state.id).map(([named]) => named),
      isHere: (await states.head())?.stateId === state.id,
      files: toFilesData(state.parentId === undefined ? [] : await workspace.diff(state.parentId, state.id)),
      allFiles: files ? await filesOf(workspace, state) : null,
      ...told,
    });
    const text = shown.all_files
      ? formatFiles(shown.all_files, context)
      : formatShownState(shown, context, place ?? resolve(workspace.path));
    await context.print(text);
    return shown;
  },
});

async function filesOf(workspace: Workspace, { id }: State): Promise<Recorded<ShownState["all_files"]>> {
  const files = [];
  for await (const file of workspace.files(id)) files.push(toHeldFile(file));
  return files;
}

async function turnOf(
  workspace: Workspace,
  { id, kind }: State,
): Promise<Recorded<Pick<ShownState, "turn" | "rewards" | "note_problem">> & { readonly place?: string | undefined }> {
  const { rewards, problem: noteProblem } = await readNote(workspace, id);
  if (kind !== "turn") return { rewards, noteProblem };
  const transition = await readTransitionOf(workspace, id);
  if (!transition) return { rewards: {}, noteProblem };
  const turn = toShownTurn(transition, await transition.toolExecutions());
  return { turn, rewards: transition.rewards, noteProblem, place: await placeOf(transition) };
}

/** The folder that the agent worked in, which the paths of its calls begin with: a branch of the workspace has one of its own. */
async function placeOf(transition: Transition): Promise<string | undefined> {
  const messages = await transition.newMessages();
  return messages.flatMap(({ raw }) => (typeof raw["cwd"] === "string" ? [raw["cwd"]] : [])).at(0);
}

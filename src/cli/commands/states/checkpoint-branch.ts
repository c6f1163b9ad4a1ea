import { resolve } from "node:path";
import { z } from "zod";
import { SkeinError } from "../../../core/internal.ts";
import { usageError } from "../../../protocol/index.ts";
import { recordPresent } from "../../../trace/internal.ts";
import { freeBranchPlace, type Workspace } from "../../../workspace/internal.ts";
import { argument, optionalArgument, stateArgument, switchFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { cwdFlag, openToRead, openWorkspace } from "../../open-workspace.ts";
import { plainLine } from "../../../terminal/index.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import { tellLeftOut } from "../../states/left-out.ts";
import { shortId } from "../../states/short-id.ts";
import { takeDirectory } from "../../states/take-directory.ts";

export const checkpoint = defineCommand({
  name: "checkpoint",
  summary: "Name the current files, or a state",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    name: argument("The name: letters, digits, dots, dashes and underscores"),
    state: optionalArgument("The state to name (default: the files as they are now)"),
    cwd: cwdFlag,
    ...captureFlags,
    replace: switchFlag("Move the name if it is already taken"),
    delete: switchFlag("Delete the name; the state itself stays"),
  }),
  positional: ["name", "state"],
  conflicts: ["replace", "delete"],
  data: z.strictObject({
    name: z.string().describe("The checkpoint's name"),
    state_id: z.string().describe("The state that it names, or named"),
    action: z.enum(["set", "deleted"]).describe("Whether the name was given or taken away"),
  }),
  examples: ["checkpoint before-vue", "checkpoint good @~1", "checkpoint before-vue --delete"],
  async run(given, context) {
    const { name } = given;
    await using workspace = await openWorkspace(given.cwd, context, captureOptions(given));
    const before = (await workspace.states.checkpoints()).get(name);
    if (given.delete) return { name, state_id: await remove(workspace, name, before), action: "deleted" as const };
    if (before !== undefined && !given.replace) {
      throw usageError("checkpoint", `The checkpoint ${name} already exists: ${shortId(before)}`, {
        target: name,
        hint: "Choose another name, or move this one with `replace`.",
      });
    }
    const id = await findState(workspace, given.state, context);
    await workspace.states.setCheckpoint(name, id, { replace: given.replace });
    return { name, state_id: id, action: "set" as const };
  },
  format({ name, state_id: id, action }, { terminal: { colors } }) {
    if (action === "deleted")
      return `Deleted the checkpoint ${colors.green(name)}; it was ${colors.yellow(shortId(id))}\n`;
    return `${colors.green(name)} is ${colors.yellow(shortId(id))}\n${colors.dim(`Come back to it: skein restore ${name}`)}\n`;
  },
});

async function findState(workspace: Workspace, state: string | undefined, context: CommandContext): Promise<string> {
  if (state !== undefined) return await workspace.states.resolve(state);
  await using _ = await takeDirectory(workspace, context);
  const { id, leftOut } = await recordPresent(workspace, context);
  await tellLeftOut(workspace, leftOut, context);
  return id;
}

async function remove({ states }: Workspace, name: string, before: string | undefined): Promise<string> {
  if (before !== undefined && (await states.removeCheckpoint(name))) return before;
  throw new SkeinError(`There is no checkpoint ${name}`, {
    kind: "state_not_found",
    target: name,
    hint: "skein log --all shows the checkpoints next to their states",
  });
}

export const branch = defineCommand({
  name: "branch",
  summary: "Make a working copy of a state elsewhere",
  effects: { changes: "adds", isRepeatable: false, reaches: "machine" },
  args: z.object({
    state: stateArgument,
    directory: optionalArgument("A new or empty directory (default: beside the workspace)"),
    cwd: cwdFlag,
  }),
  positional: ["state", "directory"],
  data: z.strictObject({
    state_id: z.string().describe("The state that the branch starts at"),
    directory: z.string().describe("Where the live copy is"),
    origin: z.string().describe("The workspace that it is a copy of"),
  }),
  examples: ["branch @", "branch before-vue ../with-react"],
  async run({ state, directory, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const id = await workspace.states.resolve(state);
    const place = directory === undefined ? freeBranchPlace(workspace, id) : resolve(directory);
    await using made = await workspace.branch(id, place);
    return { state_id: id, directory: made.path, origin: made.origin };
  },
  format({ state_id: id, directory }, { terminal: { colors } }) {
    const made = `A branch of ${colors.yellow(shortId(id))} is in\n  ${colors.bold(plainLine(directory))}\n\n`;
    return `${made}${colors.dim("Work there:")} ${colors.cyan(`skein run "…" --continue --cwd ${plainLine(directory)}`)}\n`;
  },
});

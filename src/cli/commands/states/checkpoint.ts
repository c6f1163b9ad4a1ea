import { z } from "zod";
import { SkeinError } from "../../../core/index.ts";
import { recordPresent } from "../../../trace/index.ts";
import type { Workspace } from "../../../workspace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { usageError } from "../../../protocol/index.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import { shortId } from "../../states/short-id.ts";
import { takeDirectory } from "../../states/take-directory.ts";
import { tellLeftOut } from "../../states/left-out.ts";
import { switchFlag, argument, optionalArgument } from "../../common-flags.ts";

const args = z.object({
  name: argument("The name: letters, digits, dots, dashes and underscores"),
  state: optionalArgument("The state to name (default: the files as they are now)"),
  cwd: cwdFlag,
  ...captureFlags,
  replace: switchFlag("Move the name if it is already taken"),
  delete: switchFlag("Delete the name; the state itself stays"),
});

const data = z.strictObject({ name: z.string(), state_id: z.string(), action: z.enum(["set", "deleted"]) });

export const checkpoint = defineCommand({
  name: "checkpoint",
  summary: "Name the current files, or a state",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args,
  positional: ["name", "state"],
  conflicts: ["replace", "delete"],
  data,
  examples: ["checkpoint before-vue", "checkpoint good @~1", "checkpoint before-vue --delete"],
  async run(given, context) {
    const { name } = given;
    await using workspace = await openWorkspace(given.cwd, context, captureOptions(given));
    const before = (await workspace.states.checkpoints()).get(name);
    if (given.delete) return { name, state_id: await remove(workspace, name, before), action: "deleted" as const };
    if (before !== undefined && !given.replace) {
      throw usageError("checkpoint", `The checkpoint ${name} already exists: ${shortId(before)}`, {
        target: name,
        hint: "Choose another name, or move this one with --replace.",
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

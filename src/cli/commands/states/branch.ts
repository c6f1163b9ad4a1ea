import { access } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import type { Workspace } from "../../../workspace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { plainLine } from "../../plain-text.ts";
import { shortId } from "../../states/short-id.ts";
import { stateArgument, optionalArgument } from "../../common-flags.ts";

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
  data: z.strictObject({ state_id: z.string(), directory: z.string(), origin: z.string() }),
  examples: ["branch @", "branch before-vue ../with-react"],
  async run({ state, directory, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const id = await workspace.states.resolve(state);
    const place = directory === undefined ? await freePlace(workspace, id) : resolve(directory);
    await using made = await workspace.branch(id, place);
    return { state_id: id, directory: made.path, origin: made.origin };
  },
  format({ state_id: id, directory }, { terminal: { colors } }) {
    const made = `A branch of ${colors.yellow(shortId(id))} is in\n  ${colors.bold(plainLine(directory))}\n\n`;
    return `${made}${colors.dim("Work there:")} ${colors.cyan(`skein run "…" --continue --cwd ${plainLine(directory)}`)}\n`;
  },
});

/** Beside the workspace, where people look for it; never inside, where a snapshot would take it in. */
async function freePlace({ path }: Workspace, id: string): Promise<string> {
  const place = join(dirname(path), `${basename(path)}-${shortId(id)}`);
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? place : `${place}-${count}`;
    const isTaken = await access(candidate).then(
      () => true,
      () => false,
    );
    if (!isTaken) return candidate;
  }
}

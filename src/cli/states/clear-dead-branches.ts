import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { keepInterruptedTurns } from "../../trace/index.ts";
import { orphanBranches, removeOwned, Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { shortId } from "./short-id.ts";
import type { KeptTurns } from "./take-directory.ts";

/** Removes the branches that a search which was killed has left. What was cut off in them is recorded first, and told. */
export async function clearDeadBranches(
  workspace: Workspace,
  { notice }: Pick<CommandContext, "notice">,
): Promise<void> {
  for (const path of await orphanBranches(workspace)) {
    const kept = existsSync(path) ? await keepTurns(workspace, path) : [];
    await removeOwned(path);
    for (const { state, transition } of kept) {
      const prompt = fitLine(plainLine(transition.prompt.text), 40);
      notice(
        `A turn was cut off on a branch and is kept as ${shortId(state.id)}: "${prompt}". Look at it: skein show ${shortId(state.id)}`,
      );
    }
  }
}

async function keepTurns({ home }: Workspace, path: string): Promise<KeptTurns> {
  await using branch = await Workspace.open(path, { home: resolve(home, "../..") });
  await using _ = await branch.claim({ isHalfRestored: true });
  return await keepInterruptedTurns(branch);
}

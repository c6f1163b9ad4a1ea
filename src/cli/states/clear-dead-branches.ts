import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { keepInterruptedTurns } from "../../trace/index.ts";
import { orphanBranches, removeOwned, Workspace } from "../../workspace/index.ts";

/** Removes the branches that a search which was killed has left. What was cut off in them is recorded first. */
export async function clearDeadBranches(workspace: Workspace): Promise<void> {
  for (const path of await orphanBranches(workspace)) {
    if (existsSync(path)) await keepTurns(workspace, path);
    await removeOwned(path);
  }
}

async function keepTurns({ home }: Workspace, path: string): Promise<void> {
  await using branch = await Workspace.open(path, { home: resolve(home, "../..") });
  await using _ = await branch.claim({ isHalfRestored: true });
  await keepInterruptedTurns(branch);
}

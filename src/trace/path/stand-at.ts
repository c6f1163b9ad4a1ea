import { readdir } from "node:fs/promises";
import { SkeinError } from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { State } from "../state.ts";

/**
 * Makes sure that a directory stands at the end of a conversation. Where nothing was recorded in it yet, the conversation came from
 * elsewhere: an empty directory is given its files, and one that has the same files already is taken for it. The caller holds the directory.
 */
export async function standAt(workspace: Workspace, tip: State): Promise<void> {
  const head = await workspace.states.head();
  if (head?.stateId === tip.id) return;
  if (head) throw elsewhere(workspace.path, tip);
  const isEmpty = (await readdir(workspace.view)).length === 0;
  const isSame = !isEmpty && (await workspace.snapshot()).id === tip.filesId;
  if (!isEmpty && !isSame) throw otherFiles(workspace.path, tip);
  await workspace.restore(tip.id, { isClaimed: true });
}

function elsewhere(directory: string, tip: State): SkeinError {
  return new SkeinError(`The head of ${directory} is no longer the end of this conversation`, {
    kind: "workspace_busy",
    target: directory,
    hint: `Another conversation or a restore has moved it since: restore ${tip.id.slice(0, 12)} first, or fork the conversation into a branch`,
  });
}

function otherFiles(directory: string, tip: State): SkeinError {
  const id = tip.id.slice(0, 12);
  return new SkeinError(`${directory} has other files than the conversation ended with`, {
    kind: "conflict",
    target: directory,
    hint: `Restore them first: workspace.restore("${id}"), or skein restore ${id}, which shows what it would replace; or load the conversation into an empty directory`,
  });
}

import { CONVERSATIONS } from "./head.ts";
import { CHECKPOINTS } from "./resolve-state.ts";
import { runGit, listRefs } from "../../git/index.ts";
import type { StateId } from "./state-commit.ts";

/** The refs below which the heads of branches are. */
export const BRANCHES = "refs/skein/branches/";

/** Every name that keeps states, in full, with the state that it names; `head` is where the workspace itself stands. */
export async function listTips(gitDirectory: string, head: StateId | undefined): Promise<ReadonlyMap<string, StateId>> {
  const tips = new Map<string, StateId>(head === undefined ? [] : [["HEAD", head]]);
  for (const prefix of [CONVERSATIONS, CHECKPOINTS, BRANCHES]) {
    for (const [name, id] of await listRefs(gitDirectory, prefix)) tips.set(`${prefix}${name}`, id);
  }
  return tips;
}

/** The states that lead to these, without those that lead to the known ones; each after its parent. */
export async function listStates(
  gitDirectory: string,
  tips: Iterable<StateId>,
  known: Iterable<StateId> = [],
): Promise<readonly StateId[]> {
  // In this order: what is read is judged by what was said before.
  const args = ["rev-list", "--topo-order", "--reverse", "--ignore-missing", "--stdin"];
  const input = `${[...new Set(tips)].join("\n")}\n${[...new Set(known)].map((id) => `^${id}\n`).join("")}`;
  const output = await runGit({ gitDirectory, args, input });
  return output.toString("latin1").split("\n").filter(Boolean);
}

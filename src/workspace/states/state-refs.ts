import { listRefsBelow } from "../../git/index.ts";
import type { StateId } from "./state-commit.ts";

export const CONVERSATIONS = "refs/skein/conversations/";

export const CHECKPOINTS = "refs/skein/checkpoints/";

export const BRANCHES = "refs/skein/branches/";

/** The refs below which notes are: a blob for each state that has one. */
export const NOTES = "refs/skein/notes/";

/** The refs below which the states are that turns run from. */
export const TURNS = "refs/skein/turns/";

/** Every name that keeps states, in full, with the state that it names; `head` is the workspace's own. */
export async function listTips(gitDirectory: string, head: StateId | undefined): Promise<ReadonlyMap<string, StateId>> {
  // Not those of snapshots: there may be one for each turn of two weeks.
  const prefixes = [CONVERSATIONS, CHECKPOINTS, BRANCHES];
  const all = [...(await listRefsBelow(gitDirectory, prefixes))];
  const kept = prefixes.flatMap((prefix) => all.filter(([ref]) => ref.startsWith(prefix)));
  return new Map([...(head === undefined ? [] : [["HEAD", head] as const]), ...kept]);
}

export async function listAllRefs(gitDirectory: string): Promise<ReadonlyMap<string, string>> {
  return await listRefsBelow(gitDirectory, ["refs/skein/"]);
}

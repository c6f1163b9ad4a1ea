import { listRefs } from "../../git/index.ts";
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
  const all = [...(await listAllRefs(gitDirectory))];
  const kept = [CONVERSATIONS, CHECKPOINTS, BRANCHES].flatMap((prefix) =>
    all.filter(([ref]) => ref.startsWith(prefix)),
  );
  return new Map([...(head === undefined ? [] : [["HEAD", head] as const]), ...kept]);
}

export async function listAllRefs(gitDirectory: string): Promise<ReadonlyMap<string, string>> {
  const refs = await listRefs(gitDirectory, "refs/skein/");
  return new Map([...refs].map(([name, id]) => [`refs/skein/${name}`, id]));
}

import { listStates } from "../states/list-states.ts";
import { runGit } from "../../git/index.ts";
import type { StateId } from "../states/state-commit.ts";
import { listCommits } from "./list-commits.ts";

/**
 * The states that lead to these, as far as they are there, without those that lead to the known ones; each after its parent. A disk may
 * have lost one of them: that must not hide the others.
 */
export async function listStatesThere(
  gitDirectory: string,
  tips: Iterable<StateId>,
  known: Iterable<StateId> = [],
): Promise<readonly StateId[]> {
  const [from, to] = [[...tips], [...known]];
  return await listStates(gitDirectory, from, to).catch(async () => {
    const parents = await readParents(gitDirectory);
    const seen = new Set(follow(to, parents));
    return follow(from, parents, seen);
  });
}

/** The parents of every commit that is there. */
async function readParents(gitDirectory: string): Promise<ReadonlyMap<StateId, readonly StateId[]>> {
  const commits = await listCommits(gitDirectory);
  const args = ["log", "--no-walk=unsorted", "--ignore-missing", "--format=%H %P", "--stdin"];
  const output = await runGit({ gitDirectory, args, input: commits.map((id) => `${id}\n`).join("") });
  const lines = output.toString("latin1").split("\n").filter(Boolean);
  return new Map(lines.map((line) => [line.slice(0, 40), line.slice(41).split(" ").filter(Boolean)]));
}

function follow(
  tips: readonly StateId[],
  parents: ReadonlyMap<StateId, readonly StateId[]>,
  seen: ReadonlySet<StateId> = new Set(),
): readonly StateId[] {
  const found = new Set<StateId>();
  for (const tip of tips) {
    const path = new Set<StateId>();
    const open = [tip];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const before = parents.get(id);
      if (before === undefined || seen.has(id) || found.has(id) || path.has(id)) continue;
      path.add(id);
      open.push(...before);
    }
    for (const id of [...path].toReversed()) found.add(id);
  }
  return [...found];
}

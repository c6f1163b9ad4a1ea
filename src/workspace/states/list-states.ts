import { gitLines, listRefs } from "../../git/index.ts";
import type { StateId } from "./state-commit.ts";
import { CONVERSATIONS } from "./state-refs.ts";

/** The states that lead to these, without those that lead to the known ones; each after its parent. */
export async function listStates(
  gitDirectory: string,
  tips: Iterable<StateId>,
  known: Iterable<StateId> = [],
): Promise<readonly StateId[]> {
  // In this order: what is read is judged by what was said before.
  const args = ["rev-list", "--topo-order", "--reverse", "--ignore-missing", "--stdin"];
  const input = [...new Set(tips), ...[...new Set(known)].map((id) => `^${id}`)];
  return await gitLines({ gitDirectory, args, input });
}

/** The same as far as they are there: a disk may have lost one of them, which must not hide the others. */
export async function listStatesThere(
  gitDirectory: string,
  tips: Iterable<StateId>,
  known: Iterable<StateId> = [],
): Promise<readonly StateId[]> {
  const [from, to] = [[...tips], [...known]];
  return await listStates(gitDirectory, from, to).catch(async () => {
    const parents = await readParents(gitDirectory);
    return follow(from, parents, new Set(follow(to, parents)));
  });
}

async function readParents(gitDirectory: string): Promise<ReadonlyMap<StateId, readonly StateId[]>> {
  const lines = await showCommits(gitDirectory, "%H %P", await listCommits(gitDirectory));
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

/** Those of removed conversations, of turns that were cut off before they had a name, and those whose name was lost; in no order. */
export async function listUnnamed(gitDirectory: string): Promise<readonly StateId[]> {
  const tips = (await listRefs(gitDirectory, CONVERSATIONS)).values();
  const named = new Set(await listStatesThere(gitDirectory, tips));
  const others = (await listCommits(gitDirectory)).filter((id) => !named.has(id));
  if (others.length === 0) return [];
  // The commit of a bare snapshot has no message.
  const lines = await showCommits(gitDirectory, "%H %s", others);
  return lines.filter((line) => line.length > 41).map((line) => line.slice(0, 40));
}

async function showCommits(
  gitDirectory: string,
  format: string,
  input: readonly StateId[],
): Promise<readonly string[]> {
  const args = ["log", "--no-walk=unsorted", "--ignore-missing", `--format=${format}`, "--stdin"];
  return await gitLines({ gitDirectory, args, input });
}

export async function listCommits(gitDirectory: string): Promise<readonly StateId[]> {
  const args = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)"];
  const objects = await gitLines({ gitDirectory, args });
  return objects.flatMap((line) => (line.startsWith("commit ") ? [line.slice("commit ".length)] : []));
}

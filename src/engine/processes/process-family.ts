import { readdir, readFile } from "node:fs/promises";
import { findMarked, hasMark } from "./marked-processes.ts";

/**
 * The processes of a CLI and its tools. Children are found by their parent: a command can clear its environment, and with it the
 * mark, but in the sandbox it cannot leave the tree. What left the tree outside of the sandbox is found by the mark.
 */
export async function findFamily(root: number | undefined, mark: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return await findMarked(mark);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(readParent));
  const tree = descendants(root, new Map(pids.map((pid, index) => [pid, parents[index] ?? 0])));
  const others = pids.filter((pid) => !tree.has(pid));
  const areStrays = await Promise.all(others.map((pid) => hasMark(pid, mark)));
  return [...tree, ...others.filter((_, index) => areStrays[index])];
}

function descendants(root: number | undefined, parents: ReadonlyMap<number, number>): ReadonlySet<number> {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of parents) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found = new Set<number>();
  const waiting = root !== undefined && parents.has(root) ? [root] : [];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    found.add(pid);
    waiting.push(...(children.get(pid) ?? []));
  }
  return found;
}

async function readParent(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // The name stands in brackets and may hold anything; the state follows, then the parent.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

import { readdir, readFile } from "node:fs/promises";
import { identify, isRunning, systemClock, type Clock, type ProcessIdentity } from "../../core/index.ts";
import { findMarked, hasMark, kill } from "./marked-processes.ts";

/**
 * The processes of a CLI and its tools. Children are found by their parent: a command can clear its environment, and with it the
 * mark, but in the sandbox it cannot leave the tree. What left the tree outside of the sandbox is found by the mark, with its own children.
 */
export async function findFamily(root: number | undefined, mark: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return await findMarked(mark);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const [parents, areMarked] = await Promise.all([
    Promise.all(pids.map(readParent)),
    Promise.all(pids.map((pid) => hasMark(pid, mark))),
  ]);
  const roots = pids.filter((pid, index) => pid === root || (areMarked[index] && pid !== process.pid));
  return [...descendants(roots, new Map(pids.map((pid, index) => [pid, parents[index] ?? 0])))];
}

/** Processes with their start, so that they can be ended later although their parents are gone by then. */
export async function identifyFamily(root: number | undefined, mark: string): Promise<readonly ProcessIdentity[]> {
  const found = await Promise.all((await findFamily(root, mark)).map(identify));
  return found.filter((identity) => identity !== undefined);
}

/** A process that is killed is gone within milliseconds, unless the kernel itself is stuck with it. */
const MAX_ROUNDS = 500;

/** Ends those of these processes that still run, and resolves when they are gone. */
export async function endAll(identities: readonly ProcessIdentity[], clock: Clock = systemClock): Promise<void> {
  for (const identity of identities) {
    for (let round = 0; round < MAX_ROUNDS && (await isRunning(identity)); round += 1) {
      kill(identity.pid);
      await clock.sleep(5);
    }
  }
}

function descendants(roots: readonly number[], parents: ReadonlyMap<number, number>): ReadonlySet<number> {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of parents) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found = new Set<number>();
  const waiting = [...roots];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    if (found.has(pid)) continue;
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

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createId } from "../../core/internal.ts";
import { measureHidden } from "./hidden-files.ts";
import { createMemoryGroup, findGroupParent, type GroupParent, type MemoryGroup } from "./memory-group.ts";

/** What holds a limit on memory: the kernel, by a control group, or a look at the processes every now and then. */
export type MemoryLimiting = GroupParent["version"] | "samples";

/** A process that starts another while it is being moved leaves that one behind: so many times it is looked for. */
const MAX_ROUNDS = 10;

/** Holds the processes of one CLI to a limit on memory. No group is made before one is set. */
export function createMemoryLimiter(limited: {
  readonly mark: string;
  /** The processes, as they are found from outside. */
  readonly family: () => Promise<readonly number[]>;
  readonly parent: GroupParent | undefined;
}) {
  const { mark, family, parent } = limited;
  let group: MemoryGroup | undefined;
  /** What was used before the group was there, which the kernel goes on counting elsewhere. */
  let baseBytes = 0;
  return {
    async limit(bytes: number): Promise<MemoryLimiting> {
      if (!group && parent) {
        baseBytes = await sampleMemory(await family());
        group = createMemoryGroup(parent, mark);
      }
      if (group?.limit(bytes - baseBytes) && (await moveInto(group, family))) return group.version;
      await group?.remove();
      group = undefined;
      return "samples";
    },
    async usedBytes(): Promise<number> {
      const pids = await family();
      if (!group) return await sampleMemory(pids);
      const members = new Set(group.members());
      // Whoever may write to the groups, as root may without a sandbox, can leave one.
      return baseBytes + group.usedBytes() + (await sampleMemory(pids.filter((pid) => !members.has(pid))));
    },
    /** What ended one of them because there was no memory left; undefined where nothing did. */
    ranOutBy: () => (group && group.kills() > 0 ? group.version : undefined),
    /** Ends what is in the group, wherever it went, and removes the group. */
    remove: async () => await group?.remove(),
  };
}

/** Moves all processes into a group; false where it cannot be done. */
async function moveInto(group: MemoryGroup, family: () => Promise<readonly number[]>): Promise<boolean> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const members = new Set(group.members());
    const outside = (await family()).filter((pid) => !members.has(pid));
    if (outside.length === 0) return true;
    if (!outside.map((pid) => group.add(pid)).includes(true)) {
      // None could be moved: they have all ended, or the kernel forbids it.
      return (await family()).every((pid) => group.members().includes(pid));
    }
  }
  return true;
}

/**
 * The memory that processes hold together, by looking at each (Linux). What several share counts once, split between them, so that a
 * program does not look larger for having forked; what lies in files in memory is added.
 */
async function sampleMemory(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(pids.map(readBytes));
  const { memory } = await measureHidden(pids);
  return sizes.reduce((sum, size) => sum + size, memory);
}

async function readBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  const share = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1];
  const swapped = /^SwapPss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0;
  if (share !== undefined) return (Number(share) + Number(swapped)) * 1024;
  // A process that changed its user may not be looked into; its size is told to everybody.
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

const TRIAL_BYTES = 1024 ** 3;

/** Tries what would hold a limit on memory here, by setting one for a process of its own. */
export async function detectMemoryLimiting(): Promise<MemoryLimiting> {
  const child = spawn("/bin/sh", ["-c", "read -r line"], { stdio: ["pipe", "ignore", "ignore"] });
  const { pid } = child;
  child.on("error", () => undefined);
  if (pid === undefined) return "samples";
  const family = (): Promise<readonly number[]> =>
    Promise.resolve(child.exitCode === null && child.signalCode === null ? [pid] : []);
  const limiter = createMemoryLimiter({ mark: `trial-${createId()}`, family, parent: await findGroupParent() });
  try {
    return await limiter.limit(TRIAL_BYTES);
  } finally {
    child.kill("SIGKILL");
    await limiter.remove();
  }
}

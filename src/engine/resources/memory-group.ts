import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, type Clock } from "../../core/internal.ts";
import { readMounts, type Mount } from "./mount-table.ts";

/** A control group with a limit on memory, which the kernel holds: whatever its processes start is in it. */
export type MemoryGroup = NonNullable<ReturnType<typeof createMemoryGroup>>;

const PREFIX = "skein-";

/** How long the kernel may take to let go of an ended process. */
const REMOVAL_ROUNDS = 100;

/** Makes a group; undefined where that is not allowed. */
export function createMemoryGroup({ path: parent, version }: GroupParent, mark: string) {
  const path = join(parent, `${PREFIX}${mark}`);
  try {
    mkdirSync(path);
  } catch {
    return undefined;
  }
  const files = FILES[version];
  return {
    version,
    /** Sets the limit; false where the kernel does not take it. */
    limit: (bytes: number) => files.limit(path, Math.max(Math.floor(bytes), LEAST_BYTES)),
    /** Takes a process in; false where the kernel does not allow it, or there is no such process. */
    add: (pid: number) => write(join(path, "cgroup.procs"), String(pid)),
    members: () => membersOf(path),
    /** What its processes use that cannot be given back: no pages of files that are on a disk. */
    usedBytes: () => files.used(read(join(path, "memory.stat"))),
    /** How often the kernel has ended a process because there was no memory left. */
    kills: () => field(read(join(path, files.events)), "oom_kill"),
    remove: () => removeGroup(path),
  };
}

export async function findGroups(parent: string, mark: string): Promise<readonly string[]> {
  const names = await readdir(parent).catch(() => []);
  return names.filter((name) => name.startsWith(`${PREFIX}${mark}`)).map((name) => join(parent, name));
}

export function membersOf(path: string): readonly number[] {
  return read(join(path, "cgroup.procs")).split("\n").filter(Boolean).map(Number);
}

/** Ends what is in a group and removes it. What a command made in it, in version 2, is removed first. */
export async function removeGroup(path: string, clock: Clock = systemClock): Promise<void> {
  for (let round = 0; round < REMOVAL_ROUNDS; round += 1) {
    for (const name of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      if (name.isDirectory()) await removeGroup(join(path, name.name), clock);
    }
    for (const pid of membersOf(path)) kill(pid);
    try {
      return rmdirSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    }
    await clock.sleep(20);
  }
}

/** Less than this and no program would start. */
const LEAST_BYTES = 16 * 1024 ** 2;

const FILES = {
  "cgroup-v1": {
    events: "memory.oom_control",
    limit(path: string, bytes: number): boolean {
      // Swap counts in the second one, which has to be the higher at every moment; a kernel may not have it.
      write(join(path, "memory.memsw.limit_in_bytes"), "-1");
      const isSet = write(join(path, "memory.limit_in_bytes"), String(bytes));
      write(join(path, "memory.memsw.limit_in_bytes"), String(bytes));
      return isSet;
    },
    used: (stat: string) => field(stat, "total_rss") + field(stat, "total_shmem") + field(stat, "total_swap"),
  },
  "cgroup-v2": {
    events: "memory.events",
    limit(path: string, bytes: number): boolean {
      write(join(path, "memory.swap.max"), "0");
      return write(join(path, "memory.max"), String(bytes));
    },
    used: (stat: string) => field(stat, "anon") + field(stat, "shmem"),
  },
} as const;

function field(text: string, name: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.split(" ")[1] ?? 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function write(path: string, text: string): boolean {
  try {
    // Never makes a file: one that is not there is a thing that this kernel cannot do.
    writeFileSync(path, text, { flag: "r+" });
    return true;
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

export interface GroupParent {
  readonly path: string;
  readonly version: "cgroup-v1" | "cgroup-v2";
}

/**
 * Finds the control group below which one with a limit on memory may be made: this process's own, so that whatever limits hold for it hold
 * on. In version 2 a group that holds processes cannot hold limited groups, so one above it is taken, where nothing would be escaped by that.
 */
export async function findGroupParent(
  sources: { readonly memberships?: string; readonly mounts?: readonly Mount[] } = {},
): Promise<GroupParent | undefined> {
  if (process.platform !== "linux") return undefined;
  const memberships = sources.memberships ?? (await readFile("/proc/self/cgroup", "utf8").catch(() => ""));
  const mounts = sources.mounts ?? (await readMounts("self"));
  const lines = memberships.split("\n").map((line) => line.split(":"));
  const first = lines.find(([, controllers]) => controllers?.split(",").includes("memory"));
  if (first) {
    const mount = mounts.find(({ type, options }) => type === "cgroup" && options.includes("memory"));
    const path = mount && placeOf(first.slice(2).join(":"), mount);
    return path === undefined ? undefined : { path, version: "cgroup-v1" };
  }
  const second = lines.find(([number, controllers]) => number === "0" && controllers === "");
  const mount = mounts.find(({ type }) => type === "cgroup2");
  const own = second && mount && placeOf(second.slice(2).join(":"), mount);
  const path = own === undefined || !mount ? undefined : await findDelegated(own, mount.path);
  return path === undefined ? undefined : { path, version: "cgroup-v2" };
}

function placeOf(group: string, { root, path }: { readonly root: string; readonly path: string }): string | undefined {
  if (root === "/") return join(path, group);
  return group === root || group.startsWith(`${root}/`) ? join(path, group.slice(root.length)) : undefined;
}

/** The nearest group, upwards, that hands the memory controller down, with no limit on the way that would be left behind. */
async function findDelegated(own: string, top: string): Promise<string | undefined> {
  for (let path = own; path === top || path.startsWith(`${top}/`); path = join(path, "..")) {
    const handed = await readFile(join(path, "cgroup.subtree_control"), "utf8").catch(() => "");
    if (handed.split(/\s+/u).includes("memory")) return path;
    const limit = await readFile(join(path, "memory.max"), "utf8").catch(() => "max");
    if (limit.trim() !== "max" || path === top) return undefined;
  }
  return undefined;
}

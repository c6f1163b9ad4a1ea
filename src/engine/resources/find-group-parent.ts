import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readMounts } from "./mount-table.ts";

/** Where control groups for memory can be made. */
export interface GroupParent {
  readonly path: string;
  readonly version: "cgroup-v1" | "cgroup-v2";
}

/** Which control group this process is in, by the kernel's own files. */
export interface GroupSources {
  /** The text of `/proc/self/cgroup`. */
  readonly memberships: string;
  readonly mounts: Awaited<ReturnType<typeof readMounts>>;
}

/**
 * Finds the control group below which one with a limit on memory may be made: this process's own, so that whatever limits hold for it hold
 * on. In version 2 a group that holds processes cannot hold limited groups, so one above it is taken, where nothing would be escaped by that.
 */
export async function findGroupParent(sources?: GroupSources): Promise<GroupParent | undefined> {
  if (process.platform !== "linux") return undefined;
  const { memberships, mounts } = sources ?? {
    memberships: await readFile("/proc/self/cgroup", "utf8").catch(() => ""),
    mounts: await readMounts("self"),
  };
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

import { readdir, readlink, stat, statfs } from "node:fs/promises";
import { readMounts } from "./mount-table.ts";

/** What `blocks` counts, whatever the file system's own blocks are. */
const BLOCK_BYTES = 512;

/** The type of a file system in memory, as `statfs` tells it. */
const TMPFS = 0x01021994;

/**
 * Measures what processes hold where a look at their folders finds nothing: files that were removed while open, and the file systems in
 * memory that a sandbox brings (its /tmp, its /dev/shm, its covers over closed folders) or that a command mounts for itself (Linux). In
 * bytes: `memory` is what of it lies in memory, and in memory that was made as a file.
 */
export async function measureHidden(
  pids: readonly number[],
): Promise<{ readonly files: number; readonly memory: number }> {
  if (process.platform !== "linux") return { files: 0, memory: 0 };
  const own = new Set((await readMounts("self")).map(({ device }) => device));
  const systems = new Map<string, Promise<number>>();
  await Promise.all((await oneOfEachView(pids)).map((pid) => findPrivateSystems(pid, own, systems)));
  const unlinked = new Map<string, Unlinked>();
  await Promise.all(pids.map((pid) => findUnlinked(pid, { own, systems, unlinked })));
  const inSystems = (await Promise.all(systems.values())).reduce((sum, bytes) => sum + bytes, 0);
  // What has no name in a file system that was counted whole is in that count.
  const rest = [...unlinked.values()].filter(({ device }) => !systems.has(device));
  return {
    files: inSystems + sumOf(rest.filter(({ kind }) => kind !== "memory-file")),
    memory: inSystems + sumOf(rest.filter(({ kind }) => kind !== "disk")),
  };
}

interface Unlinked {
  readonly device: string;
  readonly bytes: number;
  /** On a disk, in a file system in memory, or memory that is a file and was never anywhere. */
  readonly kind: "disk" | "memory-system" | "memory-file";
}

interface Found {
  readonly own: ReadonlySet<string>;
  readonly systems: Map<string, Promise<number>>;
  readonly unlinked: Map<string, Unlinked>;
}

/** Processes that see the same mounts need to be asked once. */
async function oneOfEachView(pids: readonly number[]): Promise<readonly number[]> {
  const host = await readlink("/proc/self/ns/mnt").catch(() => "");
  const views = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/ns/mnt`).catch(() => "")));
  return pids.filter((_, index) => {
    const view = views[index] ?? "";
    return view !== "" && view !== host && views.indexOf(view) === index;
  });
}

async function findPrivateSystems(pid: number, own: Found["own"], systems: Found["systems"]): Promise<void> {
  for (const { device, path, type } of await readMounts(pid)) {
    if (type !== "tmpfs" || own.has(device) || systems.has(device)) continue;
    const place = `/proc/${pid}/root${path}`;
    const stats = await stat(place).catch(() => undefined);
    // Something else may be mounted over it.
    if (stats && deviceOf(stats.dev) === device) systems.set(device, usedBytes(place));
  }
}

/** Looks at what a process has open, and at where it stands. */
async function findUnlinked(pid: number, { own, systems, unlinked }: Found): Promise<void> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const place of [`/proc/${pid}/cwd`, ...names.map((name) => `/proc/${pid}/fd/${name}`)]) {
    const stats = await stat(place).catch(() => undefined);
    if (!stats || !(stats.isFile() || stats.isDirectory())) continue;
    const device = deviceOf(stats.dev);
    const isKnown = own.has(device) || systems.has(device);
    const isGone = stats.isFile() && stats.nlink === 0;
    if (isKnown && !isGone) continue;
    const isMemory = (await statfs(place).catch(() => undefined))?.type === TMPFS;
    const wasNowhere = isMemory && !isKnown && (await readlink(place).catch(() => "")).startsWith("/memfd:");
    // A file system in memory that is mounted nowhere any more, or under something else.
    if (isMemory && !isKnown && !wasNowhere) systems.set(device, usedBytes(place));
    else if (isGone) {
      const kind = wasNowhere ? "memory-file" : isMemory ? "memory-system" : "disk";
      unlinked.set(`${device}:${stats.ino}`, { device, bytes: stats.blocks * BLOCK_BYTES, kind });
    }
  }
}

async function usedBytes(place: string): Promise<number> {
  const system = await statfs(place).catch(() => undefined);
  return system ? (system.blocks - system.bfree) * system.bsize : 0;
}

function deviceOf(device: number): string {
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  return `${(device >>> 8) & 0xfff}:${minor}`;
}

function sumOf(unlinked: readonly Unlinked[]): number {
  return unlinked.reduce((sum, { bytes }) => sum + bytes, 0);
}

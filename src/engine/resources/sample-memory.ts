import { readFile } from "node:fs/promises";
import { measureHidden } from "./hidden-files.ts";

/**
 * The memory that processes hold together, by looking at each (Linux). What several share counts once, split between them, so that a
 * program does not look larger for having forked; what lies in files in memory is added.
 */
export async function sampleMemory(pids: readonly number[]): Promise<number> {
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

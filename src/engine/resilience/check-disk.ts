import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { HealthCheck } from "./health-level.ts";

const GIB = 1024 ** 3;
const WARNING_BELOW_BYTES = GIB;
const CRITICAL_BELOW_BYTES = GIB / 10;

/** Looks at the space that is left where a folder is, or will be. */
export async function checkDisk(folder: string, freeBytesOf = freeBytesAt): Promise<HealthCheck> {
  const freeBytes = await freeBytesOf(folder);
  if (freeBytes === undefined) return { name: "disk", level: "unknown", detail: `${folder} cannot be read` };
  const detail = `${(freeBytes / GIB).toFixed(1)} GiB free at ${folder}`;
  if (freeBytes >= WARNING_BELOW_BYTES) return { name: "disk", level: "healthy", detail };
  const level = freeBytes < CRITICAL_BELOW_BYTES ? "critical" : "warning";
  return { name: "disk", level, detail, fix: "Free some space: recorded work may not fit." };
}

/** A folder that is not there yet will be on its parent's disk. */
async function freeBytesAt(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && dirname(folder) !== folder ? await freeBytesAt(dirname(folder)) : undefined;
  }
}

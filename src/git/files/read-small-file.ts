import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Reads a regular file that others may have put there: never a link, a pipe or a device, and nothing huge. */
export function readSmallFile(path: string | Buffer, mostBytes = 1024 * 1024): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

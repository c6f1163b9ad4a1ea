import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { parseJson } from "../../core/internal.ts";
import { errorCode } from "./storage-error.ts";

/** Looks at what is at a path, not through a link; undefined where nothing can be there. */
export function lookAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The same; undefined too where it may not be looked at. */
export function tryLookAt(path: string | Buffer): Stats | undefined {
  try {
    return lookAt(path);
  } catch {
    return undefined;
  }
}

/** Opens a file to look at it by its handle: a link is refused, and a pipe does not make the opener wait. */
export function openPlain(path: string | Buffer): number {
  return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Reads a regular file that others may have put there: never a link, a pipe or a device, and nothing huge. */
export function readSmallFile(path: string | Buffer, mostBytes = 1024 * 1024): Buffer | undefined {
  let file: number;
  try {
    file = openPlain(path);
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

/** Whether a path below a folder is reached without passing a link; what is not there yet is no link. */
export function isPlainPath(folder: string, path: string): boolean {
  const parts = path.split("/");
  return parts.every((_, index) => !lookAt(join(folder, ...parts.slice(0, index + 1)))?.isSymbolicLink());
}

/** Reads a file of a folder that others may have filled; undefined where a link is on the way to it. */
export function readPlainFile(folder: string, path: string): Buffer | undefined {
  return isPlainPath(folder, path) ? readSmallFile(join(folder, path)) : undefined;
}

/** What a JSON file holds; undefined where there is none, or none of this shape. */
export async function readJsonFile<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  return schema.safeParse(parseJson(await readFile(path, "utf8").catch(() => ""))).data;
}

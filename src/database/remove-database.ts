import { rm } from "node:fs/promises";
import { SkeinError } from "../core/index.ts";

/** Deletes a database with the files that SQLite keeps beside it. Nobody may be opening it meanwhile. */
export async function removeDatabase(path: string): Promise<void> {
  try {
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) await rm(file, { force: true });
  } catch (cause) {
    throw new SkeinError(`The database cannot be deleted: ${path}`, { kind: "filesystem", target: path, cause });
  }
}

import { lstatSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { listAgentFiles, listProjectFolders } from "../discover/find-sessions.ts";
import { type SkippedPath, toSkipped } from "../problem.ts";

/** A transcript as it lies on the disk. */
export interface ListedFile {
  readonly path: string;
  /** The name of the project's folder. */
  readonly folder: string;
  readonly isSubagent: boolean;
  /** Of a sub-agent's file in a session's own folder: that session. */
  readonly parentSessionId: string | undefined;
  /** Device and inode. */
  readonly identity: string;
  readonly sizeBytes: number;
  readonly modifiedAtNs: string;
}

/** What lies in the projects' folders. */
export interface FileListing {
  /** By path. */
  readonly files: readonly ListedFile[];
  /** Files and folders that could not be looked at: nothing below them is known to be gone. */
  readonly skipped: readonly SkippedPath[];
}

type Place = Pick<ListedFile, "path" | "folder" | "isSubagent" | "parentSessionId">;

/** Lists every transcript, those of sub-agents too. A file that has several names is listed under the first of them. */
export async function listFiles(bases: readonly string[]): Promise<FileListing> {
  const skipped: SkippedPath[] = [];
  const places: Place[] = [];
  for (const base of bases) {
    for (const folder of await listProjectFolders(base, skipped)) places.push(...(await listFolder(folder, skipped)));
  }
  const files: ListedFile[] = [];
  const seen = new Set<string>();
  for (const [index, place] of places.toSorted((left, right) => (left.path < right.path ? -1 : 1)).entries()) {
    // Looking at a file takes microseconds, but there may be a hundred thousand.
    if (index % 500 === 499) await nextTick();
    const file = describe(place, skipped);
    if (file !== undefined && seen.size !== seen.add(file.identity).size) files.push(file);
  }
  return { files, skipped };
}

async function listFolder(folder: string, skipped: SkippedPath[]): Promise<readonly Place[]> {
  const places: Place[] = [];
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    skipped.push(toSkipped(folder, error));
    return [];
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const place = { folder: basename(folder), parentSessionId: undefined };
    if (entry.name.endsWith(".jsonl")) places.push({ ...place, path, isSubagent: entry.name.startsWith("agent-") });
    else if (entry.isDirectory()) {
      const agents = await listAgentFiles(join(path, "subagents"));
      places.push(...agents.map((agent) => ({ ...place, path: agent, isSubagent: true, parentSessionId: entry.name })));
    }
  }
  return places;
}

function describe(place: Place, skipped: SkippedPath[]): ListedFile | undefined {
  try {
    const stats = statSync(place.path, { bigint: true });
    if (!stats.isFile()) return undefined;
    const identity = `${stats.dev}:${stats.ino}`;
    return { ...place, identity, sizeBytes: Number(stats.size), modifiedAtNs: String(stats.mtimeNs) };
  } catch (error) {
    // Deleted since its folder was listed: there is nothing to tell. A link to nowhere, or in a circle, is told.
    if (lstatSync(place.path, { throwIfNoEntry: false }) !== undefined) skipped.push(toSkipped(place.path, error));
    return undefined;
  }
}

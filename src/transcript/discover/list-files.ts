import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { listAgentFiles, listProjectFolders, statFile, STATS_AT_ONCE } from "./find-sessions.ts";
import { type SkippedPath, toSkipped } from "../problem.ts";

export interface ListedFile {
  readonly path: string;
  readonly folder: string;
  readonly isSubagent: boolean;
  /** Of a sub-agent's file in a session's own folder: that session. */
  readonly parentSessionId: string | undefined;
  readonly identity: string;
  readonly sizeBytes: number;
  readonly modifiedAtNs: string;
  /** When the file or what is said of it was changed last: nobody can set it back, as one can the time before. */
  readonly changedAtNs: string;
}

type Place = Omit<ListedFile, "identity" | "sizeBytes" | "modifiedAtNs" | "changedAtNs">;

/** Lists every transcript, those of sub-agents too. A file that has several names is listed under the first of them. */
export async function listFiles(bases: readonly string[]) {
  const skipped: SkippedPath[] = [];
  const places: Place[] = [];
  for (const base of bases) {
    for (const folder of await listProjectFolders(base, skipped)) places.push(...(await listFolder(folder, skipped)));
  }
  const files: ListedFile[] = [];
  const seen = new Set<string>();
  for (const [index, place] of places.toSorted((left, right) => (left.path < right.path ? -1 : 1)).entries()) {
    if (index % STATS_AT_ONCE === 0) await nextTick();
    const stats = statFile(place.path, skipped);
    if (stats === undefined) continue;
    const identity = `${stats.dev}:${stats.ino}`;
    if (seen.size === seen.add(identity).size) continue;
    const { size, mtimeNs, ctimeNs } = stats;
    const times = { modifiedAtNs: String(mtimeNs), changedAtNs: String(ctimeNs) };
    files.push({ ...place, identity, sizeBytes: Number(size), ...times });
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

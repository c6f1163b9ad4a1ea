import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SkippedPath } from "../problem.ts";
import { toSkipped } from "../to-skipped.ts";
import { findSessions, listProjectFolders, type FindOptions } from "./find-sessions.ts";
import { listAgentFiles } from "./subagent-files.ts";

/** Every file of a history, and what had to be left out. */
export interface TranscriptFiles {
  /** Sessions, the oldest first, then sub-agents: where a fork repeats a message, it counts for the original. */
  readonly paths: readonly string[];
  readonly skipped: readonly SkippedPath[];
}

/** Finds every transcript there is, sub-agents' files too, also those whose session's own file is gone: for `scanUsage`. */
export async function findTranscriptFiles(options: FindOptions = {}): Promise<TranscriptFiles> {
  const { sessions, skipped: unseen } = await findSessions(options);
  const skipped = [...unseen];
  const known = new Set(unseen.map(({ path }) => path));
  const folders = options.folder === undefined ? await listProjectFolders(options.base) : [options.folder];
  const subagents: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (!known.has(folder)) skipped.push(toSkipped(folder, error));
      return [];
    });
    const owners = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name, "subagents"));
    for (const owner of owners) subagents.push(...(await listAgentFiles(owner)));
  }
  return { paths: [...sessions.map(({ path }) => path).toReversed(), ...subagents], skipped };
}

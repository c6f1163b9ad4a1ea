import { projectFolderName } from "../../core/internal.ts";
import { basename } from "node:path";
import { type SkippedPath, toSkipped } from "../problem.ts";
import { scanFile } from "../scan/scan-file.ts";
import { findSessions, listProjectFolders, type SessionFile } from "./find-sessions.ts";

/** A project that has transcripts. */
export interface ProjectFolder {
  readonly name: string;
  /** The real path, from the records; undefined where none names one. The folder's name cannot be turned back into it. */
  readonly path: string | undefined;
  readonly folder: string;
  /** The newest first. */
  readonly sessions: readonly SessionFile[];
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/** Finds the projects that Claude Code has worked in, the newest first. */
export async function findProjects(
  options: { readonly base?: string } = {},
): Promise<{ readonly projects: readonly ProjectFolder[]; readonly skipped: readonly SkippedPath[] }> {
  const skipped: SkippedPath[] = [];
  const projects: ProjectFolder[] = [];
  for (const folder of await listProjectFolders(options.base, skipped)) {
    const found = await findSessions({ folder });
    skipped.push(...found.skipped);
    const [newest] = found.sessions;
    if (newest === undefined) continue;
    const path = findRealPath(folder, found.sessions, skipped);
    projects.push({
      name: basename(path ?? folder),
      path,
      folder,
      sessions: found.sessions,
      sizeBytes: found.sessions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      modifiedAtMs: newest.modifiedAtMs,
    });
  }
  return { projects: projects.toSorted((left, right) => right.modifiedAtMs - left.modifiedAtMs), skipped };
}

/** Records looked at in a file before the next one is tried: the first prompt names the working directory. */
const RECORDS = 200;
const FILES = 5;

/** An agent may have changed its directory: the one that the folder is named after is the project's. */
function findRealPath(folder: string, sessions: readonly SessionFile[], skipped: SkippedPath[]): string | undefined {
  let first: string | undefined;
  for (const { path } of sessions.slice(0, FILES)) {
    try {
      let count = 0;
      for (const record of scanFile(path, { blockBytes: 64 * 1024 })) {
        const cwd = record.type === "record" ? record.cwd : undefined;
        if (cwd !== undefined && projectFolderName(cwd) === basename(folder)) return cwd;
        first ??= cwd;
        if ((count += 1) > RECORDS) break;
      }
    } catch (error) {
      skipped.push(toSkipped(path, error));
    }
  }
  return first;
}

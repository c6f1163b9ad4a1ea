import { projectFolderName } from "../../core/index.ts";
import { basename } from "node:path";
import { type SkippedPath, toSkipped } from "../problem.ts";
import { scanFile } from "../scan/scan-file.ts";
import { findSessions, listProjectFolders, type SessionFile } from "./find-sessions.ts";

/** A project that has transcripts. */
export interface ProjectFolder {
  /** The last part of the real path. */
  readonly name: string;
  /** The real path, from the records; undefined where none names one. The folder's name cannot be turned back into it. */
  readonly path: string | undefined;
  readonly folder: string;
  /** The newest first. */
  readonly sessions: readonly SessionFile[];
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/** What was found, and what had to be left out. */
export interface FoundProjects {
  /** The newest first. */
  readonly projects: readonly ProjectFolder[];
  readonly skipped: readonly SkippedPath[];
}

/** Finds the projects that Claude Code has worked in. */
export async function findProjects(options: { readonly base?: string } = {}): Promise<FoundProjects> {
  const skipped: SkippedPath[] = [];
  const projects: ProjectFolder[] = [];
  for (const folder of await listProjectFolders(options.base, skipped)) {
    const found = await findSessions({ folder });
    skipped.push(...found.skipped);
    if (found.sessions.length > 0) projects.push(toProject(folder, found.sessions, skipped));
  }
  return { projects: projects.toSorted((left, right) => right.modifiedAtMs - left.modifiedAtMs), skipped };
}

function toProject(folder: string, sessions: readonly SessionFile[], skipped: SkippedPath[]): ProjectFolder {
  const path = findRealPath(folder, sessions, skipped);
  return {
    name: basename(path ?? folder),
    path,
    folder,
    sessions,
    sizeBytes: sessions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    modifiedAtMs: sessions[0]?.modifiedAtMs ?? 0,
  };
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

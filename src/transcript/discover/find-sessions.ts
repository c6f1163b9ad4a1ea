import { lstat, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SkippedPath } from "../problem.ts";
import { toSkipped } from "../to-skipped.ts";
import { unreadable } from "../unreadable.ts";
import { listAgentFiles } from "./subagent-files.ts";
import { transcriptsHome } from "./transcripts-home.ts";

/** A transcript on disk, not read yet. */
export interface SessionFile {
  readonly path: string;
  /** By the file's name. */
  readonly sessionId: string;
  /** The project's folder that it lies in. */
  readonly folder: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** Whether it is a sub-agent's file that lies beside the sessions, as 2.0 wrote it. */
  readonly isSubagent: boolean;
}

/** What was found, and what had to be left out. */
export interface FoundSessions {
  /** The newest first. */
  readonly sessions: readonly SessionFile[];
  readonly skipped: readonly SkippedPath[];
}

/** Where to look. */
export interface FindOptions {
  /** The folder of the projects' folders; Claude Code's own unless said. */
  readonly base?: string;
  /** One project's folder: then no other is looked into. */
  readonly folder?: string;
}

/** Files looked at side by side: enough to keep the disk busy, few enough to stay far from the limit of open files. */
const AT_ONCE = 64;

/** Finds transcripts without reading them. What cannot be looked at is listed; a base that is not there has none. */
export async function findSessions(options: FindOptions = {}): Promise<FoundSessions> {
  const skipped: SkippedPath[] = [];
  const folders = options.folder === undefined ? await listProjectFolders(options.base, skipped) : [options.folder];
  const paths: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch((error: unknown) => leaveOut(skipped, folder, error));
    paths.push(...names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name)));
  }
  const sessions: SessionFile[] = [];
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const found = await Promise.all(paths.slice(start, start + AT_ONCE).map((path) => describe(path, skipped)));
    sessions.push(...found.filter((session) => session !== undefined));
  }
  return { sessions: sessions.toSorted((left, right) => right.modifiedAtMs - left.modifiedAtMs), skipped };
}

/** The files of the sub-agents of a session's own folder. */
export async function findSessionSubagents(session: SessionFile): Promise<readonly string[]> {
  return listAgentFiles(join(session.folder, session.sessionId, "subagents"));
}

/** The projects' folders, each once: two links to one folder are one project, and a link in a circle is left out. */
export async function listProjectFolders(
  base: string = transcriptsHome(),
  skipped: SkippedPath[] = [],
): Promise<readonly string[]> {
  const names: string[] = await readdir(base).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw unreadable(base, error);
  });
  const seen = new Set<string>();
  const folders: string[] = [];
  for (const name of names.toSorted()) {
    const folder = join(base, name);
    const stats = await stat(folder).catch((error: unknown) => void leaveOut(skipped, folder, error));
    if (stats === undefined || !stats.isDirectory()) continue;
    const identity = `${stats.dev}:${stats.ino}`;
    if (!seen.has(identity)) folders.push(folder);
    seen.add(identity);
  }
  return folders;
}

async function describe(path: string, skipped: SkippedPath[]): Promise<SessionFile | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return undefined;
    const name = basename(path, ".jsonl");
    return {
      path,
      sessionId: name,
      folder: join(path, ".."),
      sizeBytes: stats.size,
      modifiedAtMs: stats.mtimeMs,
      isSubagent: name.startsWith("agent-"),
    };
  } catch (error) {
    // Deleted since the folder was listed: there is nothing to tell. A link to nowhere is told.
    if (!(await lstat(path).catch(() => undefined))) return undefined;
    leaveOut(skipped, path, error);
    return undefined;
  }
}

function leaveOut(skipped: SkippedPath[], path: string, error: unknown): string[] {
  skipped.push(toSkipped(path, error));
  return [];
}

import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { claudeHome } from "../../core/index.ts";
import { type SkippedPath, toSkipped, unreadable } from "../problem.ts";

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

/**
 * Finds every transcript there is, sub-agents' files too, also those whose session's own file is gone: for `scanUsage`. Sessions
 * come first, the oldest before the others: where a fork repeats a message, it counts for the original.
 */
export async function findTranscriptFiles(
  options: FindOptions = {},
): Promise<{ readonly paths: readonly string[]; readonly skipped: readonly SkippedPath[] }> {
  const { sessions, skipped } = await findSessions(options);
  const folders = options.folder === undefined ? await listProjectFolders(options.base) : [options.folder];
  const subagents: string[] = [];
  for (const folder of folders) {
    const owners = (await listFolder(folder)).filter((entry) => entry.isDirectory());
    for (const { name } of owners) subagents.push(...(await listAgentFiles(join(folder, name, "subagents"))));
  }
  return { paths: [...sessions.map(({ path }) => path).toReversed(), ...subagents], skipped };
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

/** Every sub-agent's file below a folder; links to folders are not followed, so that none leads round in a circle. */
export async function listAgentFiles(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await listFolder(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await listAgentFiles(path)));
    else if (AGENT_FILE.test(entry.name)) files.push(path);
  }
  return files;
}

/** A sub-agent's file, by its name, which tells its id. */
export const AGENT_FILE = /^agent-(.+)\.jsonl$/u;

/** What lies in a folder; nothing where it cannot be read. */
export async function listFolder(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Where Claude Code keeps its transcripts: `projects` in `CLAUDE_CONFIG_DIR`, or in `~/.claude`. */
export function transcriptsHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(claudeHome(environment), "projects");
}

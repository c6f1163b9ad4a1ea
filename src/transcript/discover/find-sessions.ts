import { type BigIntStats, type Dirent, lstatSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { claudeHome } from "../../core/internal.ts";
import { type SkippedPath, toSkipped, unreadable } from "../problem.ts";

/** A transcript on disk, not read yet. */
export interface SessionFile {
  readonly path: string;
  readonly sessionId: string;
  readonly folder: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** Whether it is a sub-agent's file that lies beside the sessions, as 2.0 wrote it. */
  readonly isSubagent: boolean;
}

interface FindOptions {
  /** The folder of the projects' folders; Claude Code's own unless said. */
  readonly base?: string;
  /** One project's folder: then no other is looked into. */
  readonly folder?: string;
}

/** Looking at a file takes microseconds, but there may be a hundred thousand: others get their turn in between. */
export const STATS_AT_ONCE = 500;

/** Finds transcripts without reading them, the newest first. What cannot be looked at is listed; a base that is not there has none. */
export async function findSessions(
  options: FindOptions = {},
): Promise<{ readonly sessions: readonly SessionFile[]; readonly skipped: readonly SkippedPath[] }> {
  const skipped: SkippedPath[] = [];
  const folders = options.folder === undefined ? await listProjectFolders(options.base, skipped) : [options.folder];
  const paths: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch((error: unknown) => leaveOut(skipped, folder, error));
    paths.push(...names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name)));
  }
  const sessions: SessionFile[] = [];
  for (const [index, path] of paths.entries()) {
    if (index % STATS_AT_ONCE === 0) await nextTick();
    const stats = statFile(path, skipped);
    if (stats === undefined) continue;
    const sessionId = basename(path, ".jsonl");
    sessions.push({
      path,
      sessionId,
      folder: dirname(path),
      sizeBytes: Number(stats.size),
      modifiedAtMs: Number(stats.mtimeNs) / 1_000_000,
      isSubagent: sessionId.startsWith("agent-"),
    });
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

/** Looks at a file; undefined where there is none. One that was deleted since its folder was listed is nothing to tell of, a link to nowhere is. */
export function statFile(path: string, skipped: SkippedPath[]): BigIntStats | undefined {
  try {
    const stats = statSync(path, { bigint: true });
    return stats.isFile() ? stats : undefined;
  } catch (error) {
    const skip = toSkipped(path, error);
    if (skip.code !== "ENOENT" || lstatSync(path, { throwIfNoEntry: false })) skipped.push(skip);
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

export async function listFolder(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Where Claude Code keeps its transcripts: `projects` in `CLAUDE_CONFIG_DIR`, or in `~/.claude`. */
export function transcriptsHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(claudeHome(environment), "projects");
}

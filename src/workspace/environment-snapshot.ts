import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { claudeHome, SkeinError } from "../core/internal.ts";
import { errorCode, storageError } from "../git/index.ts";
import type { Snapshot, SnapshotFile, SnapshotStore } from "../snapshot/index.ts";

export interface EnvironmentSnapshotOptions {
  /** The session that is at work in it, which is captured too; an empty id is none. */
  readonly sessionId?: string;
  /** Claude Code's own folder, in which the session lies; `CLAUDE_CONFIG_DIR` or `~/.claude` by default. */
  readonly claudeHome?: string;
  readonly signal?: AbortSignal;
}

/** What the workspace was at a moment: its files, and the session that was at work in it. */
export interface EnvironmentSnapshot extends Snapshot {
  /** The session that had worked in it; none where none was named. */
  readonly sessionId?: string;
  /** That session, as it was at this moment. */
  readonly session?: CapturedSession;
  readonly capturedAt: string;
  /** The store that holds the files. */
  readonly snapshots: SnapshotStore;
  /** The files and links that it holds, ordered by path, each as it is asked for. */
  files(): AsyncGenerator<SnapshotFile, void, void>;
}

export interface CapturedSession {
  readonly sessionId: string;
  readonly path: string;
  readonly main: Buffer;
  /** The transcripts of its sub-agents, by the path that each has in the session: `subagents/agent-….jsonl`. */
  readonly subagents: ReadonlyMap<string, Buffer>;
}

/** Reads the files of a session, in whatever project it lies: an agent may have been started elsewhere. */
export async function captureSession(sessionId: string, home: string = claudeHome()): Promise<CapturedSession> {
  const path = await findTranscript(sessionId, join(home, "projects"));
  if (path === undefined) {
    throw new SkeinError(`There is no session ${sessionId} in ${join(home, "projects")}`, {
      kind: "session_not_found",
      target: sessionId,
      hint: "If the agent ran with its own CLAUDE_CONFIG_DIR, give that as `claudeHome`; with `persistSession` off it leaves no session",
    });
  }
  try {
    const main = await readFile(path);
    return { sessionId, path, main, subagents: await readBelow(path.slice(0, -".jsonl".length), "subagents") };
  } catch (cause) {
    throw storageError("The session cannot be read", path, cause);
  }
}

/** A session that was gone on with in another folder lies in both: the one that was written last is meant. */
async function findTranscript(sessionId: string, projects: string): Promise<string | undefined> {
  // An id becomes part of a path.
  if (!/^[A-Za-z0-9][\w-]*$/u.test(sessionId)) return undefined;
  const folders = await readdir(projects).catch((cause: unknown) => none(projects, cause));
  const found: { readonly path: string; readonly mtimeMs: number }[] = [];
  for (const folder of folders) {
    const path = join(projects, folder, `${sessionId}.jsonl`);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile()) found.push({ path, mtimeMs: stats.mtimeMs });
  }
  return found.toSorted((left, right) => right.mtimeMs - left.mtimeMs)[0]?.path;
}

/** Links are not followed: none leads round in a circle, or out of the session. */
async function readBelow(session: string, folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const place = join(session, folder);
  const entries = await readdir(place, { withFileTypes: true }).catch((cause: unknown) => none(place, cause));
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) for (const [path, bytes] of await readBelow(session, name)) files.set(path, bytes);
    if (entry.isFile() && name.endsWith(".jsonl")) files.set(name, await readFile(join(session, name)));
  }
  return files;
}

function none(place: string, cause: unknown): never[] {
  if (errorCode(cause) === "ENOENT") return [];
  throw storageError("The sessions cannot be read", place, cause);
}

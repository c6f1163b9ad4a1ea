import { basename, join, resolve } from "node:path";
import { SkeinError } from "../../core/index.ts";
import { findSessions, projectFolderName, type SessionFile } from "../../transcript/index.ts";

/** A session of Claude Code's own: by its id or the beginning of one, in whatever project it lies; or by its file. */
export type ForeignSession = string | NamedSession | { readonly file: string };

/** A session by its id, and whose it is. */
export interface NamedSession {
  /** Its id, or the beginning of one. */
  readonly session: string;
  /** Claude Code's own folder; `CLAUDE_CONFIG_DIR` or `~/.claude` by default. */
  readonly claudeHome?: string | undefined;
}

/** Finds the transcript. A session that lies in several projects is the one in the project of the given directory. */
export async function findForeignSession(wanted: ForeignSession, directory: string): Promise<string> {
  if (typeof wanted === "object" && "file" in wanted) return resolve(wanted.file);
  const { session: id, claudeHome } = typeof wanted === "string" ? { session: wanted, claudeHome: undefined } : wanted;
  const { sessions } = await findSessions(claudeHome === undefined ? {} : { base: join(claudeHome, "projects") });
  const fitting = sessions.filter(({ sessionId, isSubagent }) => !isSubagent && sessionId.startsWith(id));
  const exact = fitting.filter(({ sessionId }) => sessionId === id);
  const [found, ...others] = exact.length > 0 ? inProject(exact, directory) : id === "" ? [] : fitting;
  if (!found) throw notFound(id);
  if (others.length > 0) throw exact.length > 0 ? inSeveralPlaces(id, [found, ...others]) : ambiguous(id, fitting);
  return found.path;
}

function inProject(files: readonly SessionFile[], directory: string): readonly SessionFile[] {
  const own = files.filter(({ folder }) => basename(folder) === projectFolderName(directory));
  return own.length > 0 ? own : files;
}

function notFound(id: string): SkeinError {
  return new SkeinError(`Claude Code has no session ${id}`, {
    kind: "session_not_found",
    target: id,
    hint: "skein sessions lists them; name a transcript elsewhere by its file",
  });
}

function ambiguous(id: string, found: readonly SessionFile[]): SkeinError {
  const named = found.slice(0, NAMED).map(({ sessionId }) => sessionId);
  return new SkeinError(`Several Claude Code session ids start with ${id}`, {
    kind: "usage",
    target: id,
    hint: `Give more of the id: ${named.join(", ")}${found.length > NAMED ? " …" : ""}`,
  });
}

function inSeveralPlaces(id: string, found: readonly SessionFile[]): SkeinError {
  const paths = found.slice(0, NAMED).map(({ path }) => path);
  return new SkeinError(`Session ${id} is in several projects`, {
    kind: "usage",
    target: id,
    hint: `Name the file you mean: ${paths.join(", ")}`,
  });
}

const NAMED = 5;

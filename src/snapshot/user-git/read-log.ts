import { join } from "node:path";
import { isoTime } from "../../core/internal.ts";
import { findUserRepository, lookAt, runGit } from "../../git/index.ts";

/** A commit of the user's repository, as a list shows it. */
export interface LogCommit {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: string;
  /** When it was written, ISO 8601. */
  readonly authoredAt: string;
  readonly subject: string;
}

/** Which commits are read, and by which repository. */
export interface LogRequest {
  /** The store, by which git reads; never the user's own repository, whose settings could name programs. */
  readonly gitDirectory: string;
  /** The directory whose repository has the commits. */
  readonly directory: string;
  /** The commit to begin with. */
  readonly head: string;
  readonly limit: number;
  readonly offset: number;
}

/** The commits that lead to one, the newest first. None where the directory has no repository, or that has lost it; nothing in it is executed. */
export async function readCommits(request: LogRequest): Promise<readonly LogCommit[]> {
  const { gitDirectory, directory, head, limit, offset } = request;
  const user = findUserRepository(directory);
  if (!user || !/^[0-9a-f]{40}$/u.test(head)) return [];
  const shallow = join(user.commonDirectory, "shallow");
  const env = {
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(user.commonDirectory, "objects")),
    // A clone that was cut off says where: behind that there is nothing to look for.
    ...(lookAt(shallow)?.isFile() ? { GIT_SHALLOW_FILE: shallow } : {}),
  };
  // A pipe among the user's objects would make git wait for ever, so it is given some time and no more.
  const reading = { gitDirectory, env, signal: AbortSignal.timeout(PATIENCE_MS), mostOutputBytes: MOST_BYTES };
  const isThere = await runGit({ ...reading, args: ["cat-file", "-t", head] }).catch(() => undefined);
  if (isThere?.toString("utf8") !== "commit\n") return [];
  const page = [`--max-count=${limit}`, `--skip=${offset}`, "--date-order"];
  const format = ["--no-commit-header", `--format=${FIELDS.join("%x00")}%x00`, "--encoding=UTF-8"];
  const found = await runGit({ ...reading, args: ["rev-list", ...page, ...format, head, "--"] });
  return parseCommits(found.toString("utf8"));
}

const PATIENCE_MS = 10_000;

/** A subject may have any length. */
const MOST_BYTES = 16 * 1024 ** 2;

const FIELDS = ["%H", "%P", "%an", "%at", "%s"];

const MOST_CHARACTERS = 1000;

/** The end of the year 9999: whoever makes a commit may say anything. */
const LAST_MOMENT_MS = 253_402_300_799_000;

function parseCommits(text: string): readonly LogCommit[] {
  const parts = text.split("\0");
  const commits: LogCommit[] = [];
  for (let at = 0; at + FIELDS.length <= parts.length; at += FIELDS.length) {
    const [commit = "", parents = "", author = "", seconds = "", subject = ""] = parts.slice(at, at + FIELDS.length);
    commits.push({
      // A line feed ends the commit before.
      commit: commit.trim(),
      parents: parents.split(" ").filter(Boolean),
      author: author.slice(0, MOST_CHARACTERS),
      authoredAt: isoTime(Math.min((Number(seconds) || 0) * 1000, LAST_MOMENT_MS)),
      subject: subject.slice(0, MOST_CHARACTERS),
    });
  }
  return commits;
}

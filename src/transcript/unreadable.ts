import { SkeinError } from "../core/index.ts";

/** What each code of the file system means for a reader of transcripts, and what to do. */
const HINTS: Readonly<Record<string, string>> = {
  ENOENT: "Check the path. Claude Code deletes transcripts older than its setting cleanupPeriodDays",
  EACCES: "Run as the user who owns the file, or let this user read it",
  EPERM: "Run as the user who owns the file, or let this user read it",
  ELOOP: "A symbolic link points back to itself: remove it",
  EISDIR: "Give the path of a .jsonl file, not of a folder",
  ENOTFILE: "Give the path of a .jsonl file",
  EMFILE: "Too many files are open: raise the limit (ulimit -n) or try again",
};

/** The typed error for a file that cannot be read. */
export function unreadable(path: string, cause: unknown): SkeinError {
  if (cause instanceof SkeinError) return cause;
  const code = codeOf(cause);
  return new SkeinError(`Cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    kind: "filesystem",
    target: path,
    cause,
    retryable: code === "EMFILE",
    hint: HINTS[code],
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

import { SkeinError } from "../core/internal.ts";

/** Something in a file that could not be read, and where; the rest of the file was read all the same. */
export interface TranscriptProblem {
  /** `too-long`: over 64 MB, and not looked into. `shape`: fields that its type does not have; it is kept without them, or as an unknown record. */
  readonly kind: "broken" | "too-long" | "not-an-object" | "shape";
  readonly path: string;
  /** Counted from 1; 0 where a scan could not count, since the file was deleted meanwhile. */
  readonly line: number;
  readonly offset: number;
  readonly lengthBytes: number;
  readonly message: string;
}

/** A file or folder that was left out, and why. */
export interface SkippedPath {
  readonly path: string;
  /** The file system's code, such as `EACCES`. */
  readonly code: string;
  readonly message: string;
}

export function toSkipped(path: string, error: unknown): SkippedPath {
  const { cause, message } = unreadable(path, error);
  return { path, code: codeOf(cause) ?? "EIO", message };
}

export function unreadable(path: string, cause: unknown): SkeinError {
  if (cause instanceof SkeinError) return cause;
  const code = codeOf(cause) ?? "";
  return new SkeinError(`Cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    kind: "filesystem",
    target: path,
    cause,
    retryable: code === "EMFILE",
    hint: HINTS[code],
  });
}

/** Whether an error is about a file that cannot be read: that one is left out, and the others are read. */
export function isUnreadable(error: unknown): error is SkeinError {
  return error instanceof SkeinError && error.kind === "filesystem";
}

export function throwIfCancelled(signal: AbortSignal | undefined, work: string): void {
  if (signal?.aborted) throw new SkeinError(`${work} was cancelled`, { kind: "cancelled", cause: signal.reason });
}

/** Asked anew each time: it changes while a loop waits. */
export function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: "Check the path. Claude Code deletes transcripts older than its setting cleanupPeriodDays",
  EACCES: "Run as the user who owns the file, or let this user read it",
  EPERM: "Run as the user who owns the file, or let this user read it",
  ELOOP: "A symbolic link points back to itself: remove it",
  EISDIR: "Give the path of a .jsonl file, not of a folder",
  ENOTFILE: "Give the path of a .jsonl file",
  EMFILE: "Too many files are open: raise the limit (ulimit -n) or try again",
};

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

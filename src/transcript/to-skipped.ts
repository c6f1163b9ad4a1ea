import type { SkippedPath } from "./problem.ts";
import { unreadable } from "./unreadable.ts";

/** A file that could not be read, as an item of a list. */
export function toSkipped(path: string, error: unknown): SkippedPath {
  const { cause, message } = unreadable(path, error);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "EIO";
  return { path, code, message };
}

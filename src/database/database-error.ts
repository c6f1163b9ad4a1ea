import { ResourceExhaustionError, SkeinError, type SkeinErrorOptions } from "../core/internal.ts";

type Failure = "busy" | "unwritable" | "damaged" | "full" | "refused";

/** Gives what SQLite threw as a typed error about the file; what is not SQLite's is given back as it is. */
export function databaseError(thrown: unknown, path: string): unknown {
  const options = { target: path, cause: thrown };
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  switch (failureOf(thrown)) {
    case undefined:
      return thrown;
    case "damaged":
      return new UnusableDatabaseError(`The database is damaged: ${path}`, { ...options, reason: "damaged" });
    case "full":
      return new ResourceExhaustionError(`No space left on the disk for the database ${path}`, {
        ...options,
        resource: "disk",
        hint: "Free some space; everything written so far is kept",
      });
    case "busy":
      return new SkeinError(`The database is in use by another process: ${path}`, {
        ...options,
        kind: "timeout",
        retryable: true,
      });
    case "unwritable":
      return new SkeinError(`The database cannot be opened or written: ${path} (${words})`, {
        ...options,
        kind: "filesystem",
        hint: "Check that its folder exists, is on a local disk and is writable",
      });
    case "refused":
      return new SkeinError(`The database refused a statement: ${words}`, { ...options, kind: "runtime" });
  }
}

/** Whether another connection holds the lock, so that the same call may succeed a little later. */
export function isBusy(thrown: unknown): boolean {
  return failureOf(thrown) === "busy";
}

/** SQLite's primary result codes and its words for them: the package for Node 20 gives no code for an error while rows are read. */
const FAILURES: readonly (readonly [code: number, words: string, failure: Failure])[] = [
  [5, "database is locked", "busy"],
  [6, "database table is locked", "busy"],
  [8, "attempt to write a readonly database", "unwritable"],
  [10, "disk I/O error", "unwritable"],
  [11, "database disk image is malformed", "damaged"],
  [13, "database or disk is full", "full"],
  [14, "unable to open database file", "unwritable"],
  [26, "file is not a database", "damaged"],
];

/** Undefined for what SQLite did not throw. A number past 2^53 is Node's own refusal to read it. */
function failureOf(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  if (thrown.code === "ERR_OUT_OF_RANGE") return "refused";
  if (thrown.code !== "ERR_SQLITE_ERROR") return undefined;
  const code = "errcode" in thrown && typeof thrown.errcode === "number" ? thrown.errcode & 0xff : undefined;
  const found = FAILURES.find(([own, words]) => (code === undefined ? words === thrown.message : own === code));
  return found?.[2] ?? "refused";
}

/** A file that is no database of ours. Whoever can make its content anew may delete it. */
export class UnusableDatabaseError extends SkeinError {
  override readonly name = "UnusableDatabaseError";
  /** Whether its bytes are damaged, or a newer Skein has written it. */
  readonly reason: "damaged" | "newer";

  constructor(message: string, options: SkeinErrorOptions & { readonly reason: "damaged" | "newer" }) {
    super(message, { ...options, kind: "parse" });
    this.reason = options.reason;
  }
}

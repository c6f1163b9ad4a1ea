import { ResourceExhaustionError, SkeinError, type SkeinErrorOptions } from "../core/index.ts";

/** Gives what SQLite threw as a typed error about the file; what is not SQLite's is given back as it is. */
export function databaseError(thrown: unknown, path: string): unknown {
  const options = { target: path, cause: thrown };
  switch (resultCode(thrown)) {
    case undefined:
      return thrown;
    case CORRUPT:
    case NOT_A_DATABASE:
      return new UnusableDatabaseError(`The database is damaged: ${path}`, { ...options, reason: "damaged" });
    case FULL:
      return new ResourceExhaustionError(`No space left on the disk for the database ${path}`, {
        ...options,
        resource: "disk",
        hint: "Free some space; everything written so far is kept",
      });
    case BUSY:
    case LOCKED:
      return new SkeinError(`The database is in use by another process: ${path}`, {
        ...options,
        kind: "timeout",
        retryable: true,
      });
    case READ_ONLY:
    case INPUT_OUTPUT:
    case CANNOT_OPEN:
      return new SkeinError(`The database cannot be opened or written: ${path} (${messageOf(thrown)})`, {
        ...options,
        kind: "filesystem",
        hint: "Check that its folder exists, is on a local disk and is writable",
      });
    default:
      return new SkeinError(`The database refused a statement: ${messageOf(thrown)}`, { ...options, kind: "runtime" });
  }
}

/** Whether another connection holds the lock, so that the same call may succeed a little later. */
export function isBusy(thrown: unknown): boolean {
  const code = resultCode(thrown);
  return code === BUSY || code === LOCKED;
}

const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const INPUT_OUTPUT = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** The package for Node 20 gives no code for an error while rows are read; SQLite's words for these are fixed. */
const CODE_OF_MESSAGE: ReadonlyMap<string, number> = new Map([
  ["database is locked", BUSY],
  ["database table is locked", LOCKED],
  ["attempt to write a readonly database", READ_ONLY],
  ["disk I/O error", INPUT_OUTPUT],
  ["database disk image is malformed", CORRUPT],
  ["database or disk is full", FULL],
  ["unable to open database file", CANNOT_OPEN],
  ["file is not a database", NOT_A_DATABASE],
]);

/** SQLite's primary result code; undefined for what SQLite did not throw. A number past 2^53 is Node's own refusal to read it. */
function resultCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  if (thrown.code === "ERR_OUT_OF_RANGE") return ERROR;
  if (thrown.code !== "ERR_SQLITE_ERROR") return undefined;
  if ("errcode" in thrown && typeof thrown.errcode === "number") return thrown.errcode & 0xff;
  return CODE_OF_MESSAGE.get(thrown.message) ?? ERROR;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Why a database file cannot be used: its bytes are damaged, or a newer Skein has written it. */
export type UnusableReason = "damaged" | "newer";

/** A file that is no database of ours. Whoever can make its content anew may delete it. */
export class UnusableDatabaseError extends SkeinError {
  override readonly name = "UnusableDatabaseError";
  readonly reason: UnusableReason;

  constructor(message: string, options: SkeinErrorOptions & { readonly reason: UnusableReason }) {
    super(message, { ...options, kind: "parse" });
    this.reason = options.reason;
  }
}

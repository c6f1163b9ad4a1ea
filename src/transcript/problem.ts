/** Something in a file that could not be read, and where; the rest of the file was read all the same. */
export interface TranscriptProblem {
  /**
   * `broken`: not JSON. `too-long`: over 64 MB, and not looked into. `not-an-object`: JSON, but no record. `shape`: a record of a known type whose fields are not what
   * that type has; it is kept without them, or as an unknown record.
   */
  readonly kind: "broken" | "too-long" | "not-an-object" | "shape";
  readonly path: string;
  /** Counted from 1; 0 where a scan could not count, since the file was deleted meanwhile. */
  readonly line: number;
  /** The first byte of the bad part, counted from the start of the file. */
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

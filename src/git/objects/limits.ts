/**
 * How large what a state carries may be. A state may come from somebody else, and a few kilobytes can stand for any
 * number of files or bytes: these are far above what a workspace holds, and far below what a machine cannot bear.
 */
export const STATE_LIMITS = {
  /** States that arrive at once. */
  states: 200_000,
  /** Names that arrive at once. */
  names: 100_000,
  /** Files and folders of one snapshot. */
  paths: 1_000_000,
  /** Folders within folders. */
  depth: 512,
  /** What the files of one snapshot take on the disk. */
  snapshotBytes: 64 * 1024 ** 3,
  /** What is not a file of the workspace and is read whole: trees, listings, transcripts. */
  partBytes: 128 * 1024 ** 2,
  /** `state.json`, `git.json`, a note, a commit. */
  smallBytes: 16 * 1024 ** 2,
  /** A file that is read into memory to be written; a larger one goes past it. */
  fileBytes: 8 * 1024 ** 2,
} as const;

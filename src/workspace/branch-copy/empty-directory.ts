import { readdir, realpath } from "node:fs/promises";
import { checkTextPath, SkeinError } from "../../core/index.ts";
import { lookAt } from "../look-at.ts";
import { makeDirectory } from "../real-directory.ts";
import { storageError } from "../storage-error.ts";

/** A directory with nothing in it. */
export interface EmptyDirectory {
  /** Its real path. */
  readonly directory: string;
  /** Whether it was made just now. */
  readonly isNew: boolean;
}

/** Makes a directory where there is none, and refuses one that holds anything. */
export async function emptyDirectory(place: string): Promise<EmptyDirectory> {
  const isNew = lookAt(place) === undefined;
  await makeDirectory(place);
  try {
    if ((await readdir(place)).length === 0) return { directory: checkTextPath(await realpath(place)), isNew };
  } catch (cause) {
    throw storageError("The directory cannot be read", place, cause);
  }
  throw new SkeinError(`${place} is not empty`, {
    kind: "usage",
    target: place,
    hint: "Give an empty directory, or use restore to change one that has files",
  });
}

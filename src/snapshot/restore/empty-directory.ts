import { readdir, realpath } from "node:fs/promises";
import { checkTextPath, SkeinError } from "../../core/index.ts";
import { makeDirectory, storageError } from "../../git/index.ts";

/** Makes a directory where there is none, and refuses one that holds anything. Gives its real path. */
export async function emptyDirectory(place: string): Promise<string> {
  await makeDirectory(place);
  try {
    if ((await readdir(place)).length === 0) return checkTextPath(await realpath(place));
  } catch (cause) {
    throw storageError("The directory cannot be read", place, cause);
  }
  throw new SkeinError(`${place} is not empty`, {
    kind: "usage",
    target: place,
    hint: "Give an empty directory, or use restore to change one that has files",
  });
}

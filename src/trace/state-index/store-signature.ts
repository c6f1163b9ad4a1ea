import { stat } from "node:fs/promises";
import { join } from "node:path";

/** What git writes to when a name of a state is made, moved or taken away: a ref is renamed into its folder. */
export const NAMES: readonly string[] = [
  "HEAD",
  "packed-refs",
  "refs/skein/conversations",
  "refs/skein/checkpoints",
  "refs/skein/branches",
];

/** The same, and when something is noted on a state, such as a reward. */
export const NAMES_AND_NOTES: readonly string[] = [...NAMES, "refs/skein/notes"];

/** A text that is another one when something in a store was written anew. Nothing is started to read it. */
export async function readSignature(gitDirectory: string, names: readonly string[]): Promise<string> {
  const times = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(gitDirectory, name), { bigint: true }).catch(() => undefined);
      return found === undefined ? "" : `${found.ino}:${found.mtimeNs}:${found.size}`;
    }),
  );
  return times.join(" ");
}

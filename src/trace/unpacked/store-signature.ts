import { stat } from "node:fs/promises";
import { join } from "node:path";

/** What git writes to when a name of a state is made, moved or taken away: a ref is renamed into its folder. */
const NAMES = ["HEAD", "packed-refs", "refs/skein/conversations", "refs/skein/checkpoints", "refs/skein/branches"];

/** A text that is another one when a store may name other states than before. Nothing is started to read it. */
export async function readSignature(gitDirectory: string): Promise<string> {
  const times = await Promise.all(
    NAMES.map(async (name) => {
      const found = await stat(join(gitDirectory, name), { bigint: true }).catch(() => undefined);
      return found === undefined ? "" : `${found.ino}:${found.mtimeNs}:${found.size}`;
    }),
  );
  return times.join(" ");
}

import { join } from "node:path";
import { SkeinError } from "../../core/index.ts";
import { parseTreeEntries, writeLoose, type ObjectReader, runGit, isPlainPath } from "../../git/index.ts";
import type { Repository } from "../store/repository.ts";

/** Writes the blobs of a snapshot's `git-objects` into another repository, where they may have been collected since. */
export async function giveBlobs(
  { repository, objects }: { readonly repository: Repository; readonly objects: ObjectReader },
  commonDirectory: string,
  objectsTree: string,
): Promise<void> {
  const oids = parseStagedTree(await objects.content(objectsTree));
  const places = oids.length > MOST_LOOSE ? ["pack"] : oids.map((oid) => oid.slice(0, 2));
  for (const place of places) {
    if (isPlainPath(commonDirectory, `objects/${place}`)) continue;
    throw new SkeinError(`objects/${place} in the workspace's repository is a link`, {
      kind: "filesystem",
      target: place,
      hint: "Skein writes only to real folders of the repository; put a real one in its place",
    });
  }
  if (oids.length > MOST_LOOSE) {
    const pack = join(commonDirectory, "objects/pack/pack");
    const input = oids.map((oid) => `${oid}\n`).join("");
    const args = ["pack-objects", "--quiet", "--window=0", pack];
    await runGit({ gitDirectory: repository.gitDirectory, args, input });
    return;
  }
  for (const oid of oids) await writeLoose(commonDirectory, "blob", await objects.content(oid));
}

/** The ids in a snapshot's `git-objects`, in which each blob is named by its own. */
export function parseStagedTree(content: Buffer): readonly string[] {
  const entries = parseTreeEntries(content);
  const wrong = entries.find(({ mode, name, oid }) => mode !== "100644" || name !== oid);
  if (!wrong) return entries.map(({ oid }) => oid);
  throw new SkeinError("A snapshot's git-objects hold something that is not named by its own id", {
    kind: "policy",
    target: wrong.oid,
    hint: "It was not made by Skein; nothing was changed",
  });
}

/** Making many files takes longer than making one pack. */
const MOST_LOOSE = 100;

import { join } from "node:path";
import { writeDurably, lookAt, readSmallFile, isPlainPath } from "../../git/index.ts";

const ALTERNATES = ".git/objects/info/alternates";

/** Lets the repository of a branch borrow objects from where the workspace's are now; nothing is written through a link. */
export async function mendBorrowing(branch: string, newPath: (path: string) => string): Promise<void> {
  const file = join(branch, ALTERNATES);
  const text = isPlainPath(branch, ALTERNATES) ? readSmallFile(file)?.toString("utf8") : undefined;
  // A path in quotes is one that git could not read otherwise.
  const mended = text?.replaceAll(/^[^#"\n].*$/gmu, newPath);
  if (text === undefined || mended === undefined || mended === text) return;
  await writeDurably(file, mended, { mode: (lookAt(file)?.mode ?? 0o644) & 0o777 });
}

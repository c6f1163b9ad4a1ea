import { stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { createId } from "../../core/index.ts";
import { makeFolder } from "../files/sync-folder.ts";
import { writeDurably } from "../files/write-durably.ts";
import { objectId, treeContent, type TreeEntry } from "./object-id.ts";
import { errorCode } from "../files/storage-error.ts";

const compress = promisify(deflate);

/** The kinds of object that git knows, tags aside. */
export type ObjectType = "blob" | "tree" | "commit";

/**
 * Writes one object into a repository the way git does, and resolves with its id when it is on the disk. For a few
 * objects this is far cheaper than a git process; for many, one pack is better.
 */
export async function writeLoose(gitDirectory: string, type: ObjectType, content: Uint8Array): Promise<string> {
  const oid = objectId(type, content);
  const folder = join(gitDirectory, "objects", oid.slice(0, 2));
  const path = join(folder, oid.slice(2));
  if (await freshen(path)) return oid;
  const header = Buffer.from(`${type} ${content.byteLength}\0`);
  const bytes = await compress(Buffer.concat([header, content]), { level: 1 });
  // As open as the repository itself: the store is private, a user's repository may be shared.
  const mode = (await stat(join(gitDirectory, "objects")).catch(() => undefined))?.mode ?? 0o700;
  await makeFolder(folder, { recursive: true, mode });
  await writeDurably(path, bytes, { half: join(folder, `tmp_obj_${createId()}`), mode: mode & 0o444 });
  return oid;
}

/** Writes a tree. */
export async function writeLooseTree(gitDirectory: string, entries: readonly TreeEntry[]): Promise<string> {
  return await writeLoose(gitDirectory, "tree", treeContent(entries));
}

/** What is there and old may be about to be pruned, because nothing names it yet: git goes by the time of the file. */
async function freshen(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

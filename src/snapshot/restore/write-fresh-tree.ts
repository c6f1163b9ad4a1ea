import { mkdirSync } from "node:fs";
import { toSystemPath, type BytePath, chmodFolder, type ObjectReader } from "../../git/index.ts";
import type { Listing } from "../listing.ts";
import { statKey } from "../scan/read-found.ts";
import type { WrittenFile } from "../memory/seed-from-written.ts";
import { writeStoredFile } from "./write-stored-file.ts";

/** A tree, and the empty directory that it is written into. */
export interface FreshTree {
  /** The directory's real path, as bytes. */
  readonly root: BytePath;
  readonly listing: Listing;
  readonly objects: ObjectReader;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes a tree where nothing is yet: nothing can be lost, so each file is written in its place, while git reads the next.
 * Gives how each file looked right after.
 */
export async function writeFreshTree({
  root,
  listing,
  objects,
  signal,
}: FreshTree): Promise<ReadonlyMap<BytePath, WrittenFile>> {
  const written = new Map<BytePath, WrittenFile>();
  const folders = [...listing.folders].toSorted(([left], [right]) => (left < right ? -1 : 1));
  for (const [path] of folders) mkdirSync(toSystemPath(`${root}/${path}`), 0o700);
  const files = [...listing.files];
  const ahead: Promise<Buffer | undefined>[] = [];
  for (const [index, [path, state]] of files.entries()) {
    for (const [, { contentId = "" }] of files.slice(index + ahead.length, index + READ_AHEAD)) {
      const reading = objects.fileContent(contentId);
      // Heard when its turn comes, which it does not where another fails before.
      reading.catch(() => undefined);
      ahead.push(reading);
    }
    signal?.throwIfAborted();
    const content = await ahead.shift();
    const stats = await writeStoredFile(toSystemPath(`${root}/${path}`), { state, content, objects });
    written.set(path, { oid: state.contentId ?? "", stat: statKey(stats) });
  }
  for (const [path, mode] of folders.toReversed()) chmodFolder(toSystemPath(`${root}/${path}`), mode);
  return written;
}

/** How many files git reads ahead. */
const READ_AHEAD = 16;

import { chmodSync } from "node:fs";
import { toBytePath, toSystemPath, toText, type BytePath, lookAt } from "../../git/index.ts";
import type { Listing } from "../listing.ts";
import type { Snapshot } from "../snapshot-store.ts";

/** Something that may not be read but belongs to us, with the permissions that open it. */
export interface ClosedPath {
  readonly path: string;
  readonly mode: number;
}

/**
 * What stands in a restore's way only because nobody may read it, though it is ours: `chmod 000` by an agent. Its owner can
 * open it, and the restore gives it other permissions anyhow.
 */
export function findClosed(root: BytePath, { leftOut }: Snapshot, target: Listing): readonly ClosedPath[] {
  const modes = new Map<string, number>();
  for (const [path, mode] of target.folders) modes.set(toText(path), mode | 0o700);
  for (const [path, { mode }] of target.files) modes.set(toText(path), mode | 0o400);
  return leftOut.flatMap(({ path, reason }) => {
    const mode = modes.get(path);
    return reason === "unreadable" && mode !== undefined && isOurs(root, path) ? [{ path, mode }] : [];
  });
}

/** Opens them, so that what is in them can be captured before it is written over. */
export function openClosed(root: BytePath, closed: readonly ClosedPath[]): void {
  for (const { path, mode } of closed) chmodSync(at(root, path), mode);
}

function isOurs(root: BytePath, path: string): boolean {
  try {
    const stats = lookAt(at(root, path));
    return stats !== undefined && !stats.isSymbolicLink() && stats.uid === process.geteuid?.();
  } catch {
    // Below a folder that is closed itself; that one is opened first.
    return false;
  }
}

function at(root: BytePath, path: string): string | Buffer {
  return toSystemPath(`${root}/${toBytePath(path)}`);
}

import { chmodSync, readdirSync } from "node:fs";
import { SkeinError } from "../../core/internal.ts";
import {
  type BytePath,
  foldersAbove,
  joinBytePath,
  lookAt,
  toBytePath,
  toSystemPath,
  toText,
  tryLookAt,
} from "../../git/index.ts";
import type { Listing } from "../listing.ts";
import type { Snapshot } from "../snapshot-store.ts";

/** Refuses a restore that would have to delete what no snapshot holds: a folder with ignored files where a file shall be. */
export function checkObstacles(root: BytePath, from: Listing, to: Listing): void {
  for (const path of to.files.keys()) {
    // What stands in a folder's place is held, and a link there must not be followed.
    if ([path, ...foldersAbove(path)].some((each) => from.files.has(each))) continue;
    const stats = lookAt(toSystemPath(`${root}/${path}`));
    if (stats === undefined) continue;
    const left = stats.isDirectory() ? firstNotHeld(root, path, from) : stats.isFile() ? path : undefined;
    if (left === undefined) continue;
    throw new SkeinError(`${toText(left)} is in the way of ${toText(path)}, and no snapshot holds it`, {
      kind: "filesystem",
      target: toText(left),
      hint: "Move it away and restore again; nothing was changed",
    });
  }
}

function firstNotHeld(root: BytePath, folder: BytePath, held: Listing): BytePath | undefined {
  for (const name of readdirSync(toSystemPath(`${root}/${folder}`), { encoding: "latin1" })) {
    const path = joinBytePath(folder, name);
    if (held.files.has(path)) continue;
    if (!held.folders.has(path)) return path;
    const below = firstNotHeld(root, path, held);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Something that may not be read but belongs to us, with the permissions that open it. */
export interface ClosedPath {
  readonly path: string;
  readonly mode: number;
}

/** What is ours and only closed, as by an agent's `chmod 000`: its owner can open it, and the restore does so anyhow. */
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
  // What is below a folder that is closed itself cannot be looked at; that one is opened first.
  const stats = tryLookAt(at(root, path));
  return stats !== undefined && !stats.isSymbolicLink() && stats.uid === process.geteuid?.();
}

function at(root: BytePath, path: string): string | Buffer {
  return toSystemPath(`${root}/${toBytePath(path)}`);
}

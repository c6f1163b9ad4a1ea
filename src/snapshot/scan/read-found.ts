import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { toSystemPath, type BytePath, errorCode } from "../../git/index.ts";
import { isSameStat, type StatKey } from "./tree-node.ts";

/** A file's content with the look at it that goes with the content. */
export interface ReadFile {
  readonly type: "read";
  readonly content: Buffer;
  readonly stats: Stats;
  /** It changed while it was read, or since it was found. */
  readonly moved: boolean;
}

/** What comes of reading a file that was found: its content, or why there is none. */
export type ReadOutcome = ReadFile | { readonly type: "gone" } | { readonly type: "unreadable" };

/** Reads a file or a link, never through a link, and again if it changes under the reading. */
export function readFound(absolutePath: BytePath, found: Stats): ReadOutcome {
  const path = toSystemPath(absolutePath);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const { content, before, after } = found.isSymbolicLink() ? readLink(path) : readRegular(path);
      const steady = isSameStat(before, after);
      if (!steady && attempt < 3) continue;
      return { type: "read", content, stats: after, moved: !steady || !isSameStat(found, after) };
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EPERM" || code === "EIO") return { type: "unreadable" };
    // A link or a pipe has taken its place, or nothing has.
    if (["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "ENXIO", "EISDIR"].includes(code)) return { type: "gone" };
    throw error;
  }
}

/** The part of a look at a file by which it is known again. */
export function statKey({ size, mtimeMs, ctimeMs, ino, uid, gid }: Stats): StatKey {
  return { size, mtimeMs, ctimeMs, ino, uid, gid };
}

function readRegular(path: string | Buffer): { content: Buffer; before: Stats; after: Stats } {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const before = fstatSync(file);
    if (!before.isFile()) throw Object.assign(new Error("No longer a file"), { code: "ELOOP" });
    const content = readFileSync(file);
    return { content, before, after: fstatSync(file) };
  } finally {
    closeSync(file);
  }
}

function readLink(path: string | Buffer): { content: Buffer; before: Stats; after: Stats } {
  const before = lstatSync(path);
  const content = readlinkSync(path, { encoding: "buffer" });
  return { content, before, after: lstatSync(path) };
}

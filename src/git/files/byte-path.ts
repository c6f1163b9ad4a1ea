import { isUtf8 } from "node:buffer";
import { defined } from "../../core/internal.ts";

/** A path as its bytes, one character for each (latin1): names need not be UTF-8, and such strings compare in git's order. */
export type BytePath = string;

export function toBytePath(path: string | Uint8Array): BytePath {
  return Buffer.from(path as string).toString("latin1");
}

export function toSystemPath(path: BytePath): string | Buffer {
  return ASCII.test(path) ? path : Buffer.from(path, "latin1");
}

/** The path as text; bytes that are not UTF-8 show as replacement characters. */
export function toText(path: BytePath): string {
  return ASCII.test(path) ? path : Buffer.from(path, "latin1").toString("utf8");
}

/** The bytes of a path, where its text does not tell them. */
export function bytesUnlessText(path: BytePath): Buffer | undefined {
  const bytes = Buffer.from(path, "latin1");
  return isUtf8(bytes) ? undefined : bytes;
}

/** The path as it is told: its text, and its bytes where the text does not tell them. */
export function toldPath(path: BytePath): { readonly path: string; readonly pathBytes?: Uint8Array } {
  const pathBytes = bytesUnlessText(path);
  return { path: toText(path), ...defined({ pathBytes }) };
}

/** Puts a name below a folder; the root is the empty path. */
export function joinBytePath(folder: BytePath, name: BytePath): BytePath {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The folders above a path, the nearest first. */
export function* foldersAbove(path: BytePath): Generator<BytePath, void, void> {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) yield path.slice(0, end);
}

export function leadingFolders(paths: Iterable<BytePath>): ReadonlySet<BytePath> {
  const folders = new Set<BytePath>();
  for (const path of paths) {
    for (const folder of foldersAbove(path)) {
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

export function isAtOrBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

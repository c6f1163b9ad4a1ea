import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "./files/storage-error.ts";

/** The refs of a store that git has put into one file. */
export interface PackedRefs {
  /** The refs whose names begin so, in order. */
  below(prefix: string): readonly (readonly [name: string, id: string])[];
  idOf(name: string): string | undefined;
}

/**
 * Reads them; none where there is no such file. There may be a hundred thousand, of which a few are asked for: they are looked for in the file's
 * bytes, which are sorted by their names, and only those that are wanted become text.
 */
export function readPackedRefs(gitDirectory: string): PackedRefs {
  const bytes = readPacked(join(gitDirectory, "packed-refs"));
  function* from(prefix: string): Generator<readonly [name: string, id: string]> {
    const wanted = Buffer.from(prefix);
    for (let at = firstNotBefore(bytes, wanted); at < bytes.length; at = nextLine(bytes, at)) {
      const name = nameAt(bytes, at);
      if (!name) continue;
      if (name.compare(wanted, 0, wanted.length, 0, Math.min(name.length, wanted.length)) !== 0) return;
      yield [name.toString(), bytes.toString("latin1", at, at + ID_LENGTH)];
    }
  }
  return {
    below: (prefix) => [...from(prefix)],
    idOf: (name) => new Map(from(name)).get(name),
  };
}

const ID_LENGTH = 40;
const LINE_FEED = 10;
const SPACE = 32;

/** The start of a line from which on no ref's name is before another, by halves. */
function firstNotBefore(bytes: Buffer, wanted: Buffer): number {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = lineStart(bytes, (low + high) >> 1);
    let at = middle;
    while (at < high && !nameAt(bytes, at)) at = nextLine(bytes, at);
    const isBefore = at < high && (nameAt(bytes, at)?.compare(wanted) ?? 0) < 0;
    if (isBefore) low = nextLine(bytes, at);
    else high = middle;
  }
  return low;
}

function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
}

/** The name of the ref on a line; undefined on a line that says how the file is sorted, or where the tag before leads. */
function nameAt(bytes: Buffer, at: number): Buffer | undefined {
  if (bytes[at + ID_LENGTH] !== SPACE) return undefined;
  const end = bytes.indexOf(LINE_FEED, at);
  return bytes.subarray(at + ID_LENGTH + 1, end === -1 ? bytes.length : end);
}

function nextLine(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(LINE_FEED, at);
  return end === -1 ? bytes.length : end + 1;
}

/** A file that was written so long ago is known by its stamp: one that came after it has another time. */
const SETTLED_MS = 1000;

interface Kept {
  readonly path: string;
  readonly stamp: string;
  readonly bytes: Buffer;
}

/** The one that was read last: who asks for names asks for several kinds of them. Git never changes the file, and puts another in its place. */
let kept: Kept | undefined;

function readPacked(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return Buffer.alloc(0);
    throw error;
  }
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = fstatSync(file, { bigint: true });
    const stamp = [dev, ino, size, mtimeNs, ctimeNs].join(" ");
    if (kept?.path === path && kept.stamp === stamp) return kept.bytes;
    const bytes = sorted(readFileSync(file));
    const isSettled = Date.now() - Number(ctimeNs / 1_000_000n) > SETTLED_MS;
    kept = isSettled ? { path, stamp, bytes } : undefined;
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Git sorts the file and says so; one that does not say it may be by other hands. */
function sorted(bytes: Buffer): Buffer {
  const [head = ""] = bytes.toString("latin1", 0, 200).split("\n", 1);
  if (bytes.length === 0 || / sorted(?: |$)/u.test(head)) return bytes;
  const lines = bytes
    .toString("latin1")
    .split("\n")
    .filter((line) => line[ID_LENGTH] === " ");
  const nameOf = (line: string): string => line.slice(ID_LENGTH + 1);
  const inOrder = lines.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return Buffer.from(`${inOrder.join("\n")}\n`, "latin1");
}

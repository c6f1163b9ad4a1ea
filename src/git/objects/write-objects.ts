import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflate, deflateSync } from "node:zlib";
import { createId, PRIVATE_FILE } from "../../core/internal.ts";
import { ownerTag } from "../files/owner-tag.ts";
import { errorCode } from "../files/storage-error.ts";
import { makeFolder, syncFolder, writeDurably, writeFlushed } from "../files/write-durably.ts";
import { objectId, treeContent, type TreeEntry } from "./tree.ts";

const compress = promisify(deflate);

type ObjectType = "blob" | "tree" | "commit";

/** Writes an object as git does, and resolves when it is on the disk: for a few, far cheaper than a git process. */
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

export interface NewObject {
  readonly oid: string;
  readonly type: ObjectType;
  readonly content: Buffer;
}

/** A ref to a commit that has no other one, so that nobody who writes it writes anything else. */
interface FixedRef {
  readonly ref: string;
  readonly to: string;
}

/**
 * Writes objects as one pack; its index, by which git finds them, comes after it, and a ref to them last: a crash leaves all or none. Their
 * contents are flushed together.
 */
export async function writePack(gitDirectory: string, objects: readonly NewObject[], fixed?: FixedRef): Promise<void> {
  const folder = join(gitDirectory, "objects", "pack");
  const half = join(folder, `tmp_pack_${await ownerTag()}_${createId()}`);
  const pack = objects.length === 0 ? [] : await packFiles(folder, half, objects);
  const ref = fixed
    ? { half: `${half}.ref`, path: join(gitDirectory, fixed.ref), content: `${fixed.to}\n` }
    : undefined;
  const files = ref ? [...pack, { ...ref, mode: PRIVATE_FILE }] : pack;
  await makeFolder(folder);
  try {
    await Promise.all(files.map((file) => writeFlushed(file.half, file.content, file.mode)));
    for (const file of pack) await rename(file.half, file.path);
    if (objects.length > 0) await syncFolder(folder);
    if (!ref) return;
    // Made each time: git takes away a folder that has become empty.
    await makeFolder(dirname(ref.path));
    await rename(ref.half, ref.path);
    await syncFolder(dirname(ref.path));
  } catch (error) {
    await Promise.all(files.map((file) => rm(file.half, { force: true })));
    throw error;
  }
}

/** The files of a pack, in the order in which they get their names; none where it is there already. */
async function packFiles(folder: string, half: string, objects: readonly NewObject[]) {
  const { data, index, checksum } = await packObjects(objects);
  const name = join(folder, `pack-${checksum.toString("hex")}`);
  if (existsSync(`${name}.idx`)) return [];
  return [
    { half, path: `${name}.pack`, content: data, mode: 0o400 },
    { half: `${half}.idx`, path: `${name}.idx`, content: index, mode: 0o400 },
  ];
}

interface PackedObject {
  readonly oid: Buffer;
  readonly crc: number;
  readonly offset: number;
}

async function packObjects(objects: readonly NewObject[]) {
  const parts = [Buffer.concat([Buffer.from("PACK\0\0\0\x02", "latin1"), numbers([objects.length])])];
  const entries: PackedObject[] = [];
  let offset = 12;
  for (const { oid, type, content } of objects) {
    const entry = Buffer.concat([entryHead(TYPES[type], content.length), await compressed(content)]);
    entries.push({ oid: Buffer.from(oid, "hex"), crc: crc32(entry), offset });
    parts.push(entry);
    offset += entry.length;
  }
  const body = Buffer.concat(parts);
  const checksum = sha1(body);
  return { data: Buffer.concat([body, checksum]), index: formatPackIndex(entries, checksum), checksum };
}

const TYPES: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };

/** What is small is done sooner than another thread is asked. */
async function compressed(content: Buffer): Promise<Buffer> {
  return content.length < 65_536 ? deflateSync(content, SMALL) : await compress(content, { level: 1 });
}

/** To make room for zlib takes longer than to compress a kilobyte; with less of it the result is as small. */
const SMALL = { level: 1, memLevel: 4 } as const;

/** The type and four bits of the size in the first byte, then seven bits a byte; the highest bit says that more follow. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

/** Version 2: how many ids begin with each byte or a lower one, then the ids, their checksums and their offsets. */
function formatPackIndex(entries: readonly PackedObject[], checksum: Buffer): Buffer {
  const sorted = entries.toSorted((left, right) => Buffer.compare(left.oid, right.oid));
  const counts = Array.from({ length: 256 }, () => 0);
  for (const { oid } of sorted) counts[oid[0] ?? 0] = (counts[oid[0] ?? 0] ?? 0) + 1;
  for (let byte = 1; byte < 256; byte += 1) counts[byte] = (counts[byte] ?? 0) + (counts[byte - 1] ?? 0);
  const body = Buffer.concat([
    Buffer.from(PACK_INDEX_HEAD, "latin1"),
    numbers(counts),
    ...sorted.map(({ oid }) => oid),
    numbers(sorted.map(({ crc }) => crc)),
    numbers(sorted.map(({ offset }) => offset)),
    checksum,
  ]);
  return Buffer.concat([body, sha1(body)]);
}

/** The ids that a pack's index of this version lists; undefined for another. */
export function readPackIds(index: Buffer): readonly string[] | undefined {
  if (index.toString("latin1", 0, 8) !== PACK_INDEX_HEAD) return undefined;
  const start = PACK_INDEX_HEAD.length + 256 * 4;
  const count = index.readUInt32BE(start - 4);
  const ids = index.toString("hex", start, start + count * 20);
  return Array.from({ length: count }, (_, at) => ids.slice(at * 40, at * 40 + 40));
}

const PACK_INDEX_HEAD = "\xfftOc\0\0\0\x02";

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function sha1(content: Buffer): Buffer {
  return createHash("sha1").update(content).digest();
}

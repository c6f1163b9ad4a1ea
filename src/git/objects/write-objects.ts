import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflate, deflateSync } from "node:zlib";
import { createId } from "../../core/internal.ts";
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

/** Writes objects as one pack; its index, by which git finds them, comes last: a crash leaves all or none. */
export async function writePack(gitDirectory: string, objects: readonly NewObject[]): Promise<void> {
  const packed = await packObjects(objects);
  const folder = join(gitDirectory, "objects", "pack");
  const name = join(folder, `pack-${packed.checksum.toString("hex")}`);
  if (existsSync(`${name}.idx`)) return await syncFolder(folder);
  await makeFolder(folder);
  const half = join(folder, `tmp_pack_${await ownerTag()}_${createId()}`);
  try {
    await Promise.all([writeFlushed(half, packed.data, 0o400), writeFlushed(`${half}.idx`, packed.index, 0o400)]);
    await rename(half, `${name}.pack`);
    await rename(`${half}.idx`, `${name}.idx`);
    await syncFolder(folder);
  } catch (error) {
    await Promise.all([half, `${half}.idx`].map((path) => rm(path, { force: true })));
    throw error;
  }
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
  return content.length < 65_536 ? deflateSync(content, { level: 1 }) : await compress(content, { level: 1 });
}

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
  const counts = Array.from({ length: 256 }, (_, byte) => sorted.filter(({ oid }) => (oid[0] ?? 0) <= byte).length);
  const body = Buffer.concat([
    Buffer.from("\xfftOc\0\0\0\x02", "latin1"),
    numbers(counts),
    ...sorted.map(({ oid }) => oid),
    numbers(sorted.map(({ crc }) => crc)),
    numbers(sorted.map(({ offset }) => offset)),
    checksum,
  ]);
  return Buffer.concat([body, sha1(body)]);
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function sha1(content: Buffer): Buffer {
  return createHash("sha1").update(content).digest();
}

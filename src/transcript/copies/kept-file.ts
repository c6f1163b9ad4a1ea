import { createReadStream, createWriteStream, statSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { crc32, createGunzip, deflateRaw, inflateRawSync } from "node:zlib";
import { PRIVATE_FILE, PRIVATE_FOLDER, SkeinError } from "../../core/internal.ts";
import { readRange } from "../read/read-bytes.ts";

/** How far a copy goes. */
export interface KeptState {
  /** Bytes of the transcript that are in the copy. */
  readonly keptRawBytes: number;
  /** Bytes of the copy. */
  readonly keptBytes: number;
  /** Where in the copy its last block begins. */
  readonly keptLastBlock: number;
}

export const NOT_KEPT: KeptState = { keptRawBytes: 0, keptBytes: 0, keptLastBlock: 0 };

/** A block holds this much of the transcript, so that a record in the middle is read without the rest. */
const BLOCK_BYTES = 1024 * 1024;
/** A last block below this is written again with what follows: else a live session would be a block for each line. */
const SMALL_BYTES = BLOCK_BYTES / 4;
const NOTHING: Buffer = Buffer.alloc(0);

/** Adds the bytes of a transcript up to an offset to its copy. A copy that is not as noted is made anew. */
export async function keepUpTo(source: string, copy: string, state: KeptState, offset: number): Promise<KeptState> {
  try {
    await mkdir(dirname(copy), PRIVATE_FOLDER);
    let { keptRawBytes, keptBytes, keptLastBlock } = isThere(copy, state) ? state : NOT_KEPT;
    if (keptRawBytes >= offset && keptBytes > 0) return { keptRawBytes, keptBytes, keptLastBlock };
    await using file = await open(copy, keptBytes === 0 ? "w" : "r+", PRIVATE_FILE);
    while (keptRawBytes < offset) {
      const last = keptBytes === 0 ? NOTHING : readSmallBlock(copy, keptLastBlock);
      const wanted = Math.min(offset - keptRawBytes, BLOCK_BYTES - last.length);
      const bytes = readRange(source, keptRawBytes, wanted);
      if (bytes.length === 0) break;
      const block = await encodeBlock(Buffer.concat([last, bytes]));
      keptLastBlock = last.length > 0 ? keptLastBlock : keptBytes;
      await file.write(block, 0, block.length, keptLastBlock);
      keptRawBytes += bytes.length;
      keptBytes = keptLastBlock + block.length;
    }
    await file.truncate(keptBytes);
    return { keptRawBytes, keptBytes, keptLastBlock };
  } catch (error) {
    throw unwritable(copy, error);
  }
}

/** Bytes of a transcript from its copy; fewer where the copy ends or is damaged. */
export function readKept(copy: string, start: number, size: number): Buffer {
  const parts: Buffer[] = [];
  for (const { rawStart, rawBytes, position } of keptBlocks(copy)) {
    if (rawStart >= start + size) break;
    if (rawStart + rawBytes <= start) continue;
    const bytes = readBlock(copy, position);
    if (bytes === undefined) break;
    parts.push(bytes.subarray(Math.max(0, start - rawStart), start + size - rawStart));
  }
  return Buffer.concat(parts);
}

export function measureKept(copy: string): KeptState {
  let state = NOT_KEPT;
  for (const { rawStart, rawBytes, position, sizeBytes } of keptBlocks(copy)) {
    state = { keptRawBytes: rawStart + rawBytes, keptBytes: position + sizeBytes, keptLastBlock: position };
  }
  return state;
}

export async function unpackKept(copy: string, target: string): Promise<void> {
  try {
    await mkdir(dirname(target), PRIVATE_FOLDER);
    await pipeline(createReadStream(copy), createGunzip(), createWriteStream(target, { mode: PRIVATE_FILE }));
  } catch (error) {
    throw unwritable(target, error);
  }
}

function* keptBlocks(copy: string) {
  let [position, rawStart] = [0, 0];
  for (let header = readHeader(copy, 0); header !== undefined; header = readHeader(copy, position)) {
    yield { position, rawStart, ...header };
    position += header.sizeBytes;
    rawStart += header.rawBytes;
  }
}

/** The bytes of the last block, if it is to be written again; none where it is large or damaged, then a new one follows. */
function readSmallBlock(copy: string, position: number): Buffer {
  const isSmall = (readHeader(copy, position)?.rawBytes ?? SMALL_BYTES) < SMALL_BYTES;
  return (isSmall ? readBlock(copy, position) : undefined) ?? NOTHING;
}

/** Whether the copy is as noted: somebody may have deleted it, or a crash may have cut its last block. */
function isThere(copy: string, { keptBytes, keptLastBlock }: KeptState): boolean {
  const size = statSync(copy, { throwIfNoEntry: false })?.size ?? 0;
  return keptBytes > 0 && size >= keptBytes && readBlock(copy, keptLastBlock) !== undefined;
}

function unwritable(path: string, cause: unknown): SkeinError {
  if (cause instanceof SkeinError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SkeinError(`The copy of a transcript cannot be written: ${path} (${reason})`, {
    kind: "filesystem",
    target: path,
    cause,
    hint: "Free some space, or keep no copies: `skein archive --off`",
  });
}

const deflate = promisify(deflateRaw);

/** Bytes before the compressed ones: a gzip header with one extra field, which says how long the block is. */
const HEADER_BYTES = 24;
const TRAILER_BYTES = 8;
/** Fast, and the text of transcripts shrinks to a fifth all the same. */
const LEVEL = 3;

/** Compresses bytes to a block. Blocks one after the other are a gzip file, which any tool reads. */
async function encodeBlock(bytes: Buffer): Promise<Buffer> {
  const body = await deflate(bytes, { level: LEVEL });
  const header = Buffer.from("1f8b080400000000000c00534b0800".padEnd(HEADER_BYTES * 2, "0"), "hex");
  header[9] = 0xff;
  header.writeUInt16LE(12, 10);
  header.write("SK", 12, "latin1");
  header.writeUInt16LE(8, 14);
  header.writeUInt32LE(HEADER_BYTES + body.length + TRAILER_BYTES, 16);
  header.writeUInt32LE(bytes.length, 20);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([header, body, trailer]);
}

/** What a header says: the size of the whole block and of what is in it; undefined where there is no header. */
function readHeader(copy: string, position: number) {
  const header = readRange(copy, position, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUInt32BE(0) !== 0x1f8b0804) return undefined;
  if (header.toString("latin1", 12, 14) !== "SK") return undefined;
  return { sizeBytes: header.readUInt32LE(16), rawBytes: header.readUInt32LE(20) };
}

function readBlock(copy: string, position: number): Buffer | undefined {
  const header = readHeader(copy, position);
  const block = readRange(copy, position, header?.sizeBytes ?? 0);
  if (header === undefined || block.length !== header.sizeBytes) return undefined;
  try {
    const bytes = inflateRawSync(block.subarray(HEADER_BYTES, -TRAILER_BYTES));
    return crc32(bytes) === block.readUInt32LE(block.length - TRAILER_BYTES) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

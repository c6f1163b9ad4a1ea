import { promisify } from "node:util";
import { crc32, deflateRaw, inflateRawSync } from "node:zlib";

const deflate = promisify(deflateRaw);

/** Bytes before the compressed ones: a gzip header with one extra field, which says how long the block is. */
export const HEADER_BYTES = 24;
const TRAILER_BYTES = 8;
/** Fast, and the text of transcripts shrinks to a fifth all the same. */
const LEVEL = 3;

/** What the header of a block says. */
export interface KeptBlock {
  /** Of the whole block, header included. */
  readonly sizeBytes: number;
  readonly rawBytes: number;
}

/** Compresses bytes to a block. Blocks one after the other are a gzip file, which any tool reads. */
export async function encodeBlock(bytes: Buffer): Promise<Buffer> {
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

/** Reads a header; undefined where these bytes are none. */
export function parseHeader(header: Buffer): KeptBlock | undefined {
  if (header.length < HEADER_BYTES || header.readUInt32BE(0) !== 0x1f8b0804) return undefined;
  if (header.toString("latin1", 12, 14) !== "SK") return undefined;
  return { sizeBytes: header.readUInt32LE(16), rawBytes: header.readUInt32LE(20) };
}

/** The bytes of a whole block; undefined where it is damaged. */
export function decodeBlock(block: Buffer): Buffer | undefined {
  const header = parseHeader(block);
  if (header === undefined || block.length !== header.sizeBytes) return undefined;
  try {
    const bytes = inflateRawSync(block.subarray(HEADER_BYTES, -TRAILER_BYTES));
    return crc32(bytes) === block.readUInt32LE(block.length - TRAILER_BYTES) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

import { createHash } from "node:crypto";
import { readRange } from "./read-bytes.ts";

/** By what a file is known again that was read up to an offset. */
export interface FileMarks {
  readonly offset: number;
  readonly headBytes: number;
  readonly headHash: string;
  readonly edgeHash: string;
}

/** Enough to hold the first record's id, which no two files share. */
const HEAD_BYTES = 4096;
const EDGE_BYTES = 256;

/** Whether a file still begins as it did, and still has the same bytes before the offset. */
export function hasMarks(path: string, { offset, headBytes, headHash, edgeHash }: FileMarks): boolean {
  const now = readMarks(path, offset, headBytes);
  return now.headHash === headHash && now.edgeHash === edgeHash;
}

/** By what a file is known again: its first bytes, and those before the place up to which it was read. */
export function readMarks(path: string, offset: number, headBytes = Math.min(offset, HEAD_BYTES)) {
  const edgeBytes = Math.min(offset, EDGE_BYTES);
  const headHash = hash(readRange(path, 0, headBytes));
  return { headBytes, headHash, edgeHash: hash(readRange(path, offset - edgeBytes, edgeBytes)) };
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}

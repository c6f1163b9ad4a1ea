import { closeSync, openSync, readSync, statSync } from "node:fs";
import { unreadable } from "../problem.ts";

/** Bytes of a file; where it is shorter, so are they. */
export function readRange(path: string, start: number, size: number): Buffer {
  const descriptor = openFile(path);
  try {
    return readAt(descriptor, path, start, size);
  } finally {
    closeSync(descriptor);
  }
}

export function readAt(descriptor: number, path: string, start: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const read = readInto(descriptor, path, bytes, filled, start + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

export function readInto(descriptor: number, path: string, buffer: Buffer, at: number, position: number): number {
  try {
    return readSync(descriptor, buffer, at, buffer.length - at, position);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Opens a file. What is no regular file is not opened at all: opening a pipe would wait for its writer. */
export function openFile(path: string): number {
  try {
    if (statSync(path).isFile()) return openSync(path, "r");
  } catch (error) {
    throw unreadable(path, error);
  }
  throw unreadable(path, Object.assign(new Error("it is not a regular file"), { code: "ENOTFILE" }));
}

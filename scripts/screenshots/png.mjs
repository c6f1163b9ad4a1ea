import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** A PNG of these chunks. */
export function writePng(chunks) {
  return Buffer.concat([SIGNATURE, ...chunks.map(([type, data]) => chunk(type, data)), chunk("IEND", Buffer.alloc(0))]);
}

/** The head of a PNG of 8 bits: `kind` 2 is RGB, 3 a palette. */
export function headOf({ width, height, kind }) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, kind], 8);
  return ["IHDR", head];
}

/** Rows of bytes as they are in a PNG, each without a filter. */
export function dataOf(rows) {
  return ["IDAT", deflateSync(Buffer.concat(rows.map((row) => Buffer.from([0, ...row]))), { level: 9 })];
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The pixels of a PNG as Chromium writes them: 8 bits, RGB or RGBA, not interlaced. */
export function readPng(bytes) {
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const step = { 2: 3, 6: 4 }[bytes[25]];
  if (bytes[24] !== 8 || step === undefined || bytes[28] !== 0) throw new Error("not a PNG as Chromium writes them");
  const parts = [];
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return { width, height, step, pixels: unfilter(inflateSync(Buffer.concat(parts)), { width, height, step }) };
}

function unfilter(data, { width, height, step }) {
  const stride = width * step;
  const pixels = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x >= step ? pixels[at - step] : 0;
      const up = y > 0 ? pixels[at - stride] : 0;
      const corner = x >= step && y > 0 ? pixels[at - stride - step] : 0;
      pixels[at] = data[y * (stride + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
    }
  }
  return pixels;
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((each) => Math.abs(guess - each));
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

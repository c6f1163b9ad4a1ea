import { dataOf, headOf, readPng, writePng } from "./png.mjs";

const MOST_COLORS = 256;
/** Colours nearer than this, summed over red, green and blue, are one: nobody sees the difference in a picture of a page. */
const NEAR = 7;

/** The same picture with a palette: a third of the size, for pictures that go into a repository. */
export function shrinkPng(bytes) {
  const { width, height, step, pixels } = readPng(bytes);
  const colors = new Uint32Array(width * height);
  for (let at = 0; at < colors.length; at += 1) {
    colors[at] = (pixels[at * step] << 16) | (pixels[at * step + 1] << 8) | pixels[at * step + 2];
  }
  const palette = choosePalette(colors);
  const known = new Map();
  const placeOf = (color) => {
    if (!known.has(color)) known.set(color, nearest(palette, color));
    return known.get(color);
  };
  const rows = Array.from({ length: height }, (_, y) =>
    Array.from(colors.subarray(y * width, (y + 1) * width), placeOf),
  );
  const table = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return writePng([headOf({ width, height, kind: 3 }), ["PLTE", table], dataOf(rows)]);
}

/** The colours that are there most, none near another. */
function choosePalette(colors) {
  const counts = new Map();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette = [];
  for (const [color] of [...counts].toSorted(([, left], [, right]) => right - left)) {
    if (palette.length === MOST_COLORS) break;
    if (palette.every((chosen) => distance(chosen, color) >= NEAR)) palette.push(color);
  }
  return palette;
}

function nearest(palette, color) {
  let best = 0;
  for (let place = 1; place < palette.length; place += 1) {
    if (distance(palette[place], color) < distance(palette[best], color)) best = place;
  }
  return best;
}

function distance(left, right) {
  const part = (shift) => Math.abs(((left >> shift) & 255) - ((right >> shift) & 255));
  return part(16) + part(8) + part(0);
}

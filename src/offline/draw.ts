import { createHash } from "node:crypto";

/** Draws one of several by weight. The same key always gives the same one. */
export function drawWeighted(weights: readonly number[], key: string): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let point = fractionOf(key) * total;
  const drawn = weights.findIndex((weight) => (point -= weight) < 0);
  return drawn === -1 ? weights.length - 1 : drawn;
}

/** A number from 0 up to 1 that is spread evenly over keys. */
function fractionOf(key: string): number {
  return createHash("sha1").update(key).digest().readUInt32BE(0) / 2 ** 32;
}

/** The halves of the last hash. */
export let low: u32 = 0;
export let high: u32 = 0;

export function setHash(lowHalf: u32, highHalf: u32): void {
  low = lowHalf;
  high = highHalf;
}

/** Hashes an id just as `hashBytes` does. */
export function hash(start: u32, end: u32): void {
  let l: u32 = 0xdeadbeef ^ (end - start);
  let h: u32 = 0x41c6ce57;
  for (let at = start; at < end; at += 1) {
    const byte = <u32>load<u8>(at);
    l = rotl<u32>((l ^ byte) * 0x9e3779b1, 13);
    h = rotl<u32>((h ^ byte) * 0x5f356495, 11);
  }
  l = ((l ^ (l >>> 16)) * 0x85ebca6b) ^ ((h ^ (h >>> 13)) * 0xc2b2ae35);
  h = ((h ^ (h >>> 16)) * 0x85ebca6b) ^ ((l ^ (l >>> 13)) * 0xc2b2ae35);
  low = l == 0 ? 1 : l;
  high = h;
}

import { Buffer } from "node:buffer";

/** An id in 64 bits: two are the same id where both halves are the same. No id is 0 in both, which stands for none. */
export interface IdHash {
  low: number;
  high: number;
}

export const NO_ID: Readonly<IdHash> = { low: 0, high: 0 };

/** Hashes the bytes of an id into `into`, so that none of a hundred thousand costs memory. */
function hashBytes(bytes: Uint8Array, start: number, end: number, into: IdHash): void {
  let [low, high] = [0xdeadbeef ^ (end - start), 0x41c6ce57];
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    low = Math.imul(low ^ byte, 0x9e3779b1);
    high = Math.imul(high ^ byte, 0x5f356495);
    low = (low << 13) | (low >>> 19);
    high = (high << 11) | (high >>> 21);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  into.low = low >>> 0 || 1;
  into.high = high >>> 0;
}

export function hashText(text: string): Readonly<IdHash> {
  const bytes = Buffer.from(text);
  const hash = { low: 0, high: 0 };
  hashBytes(bytes, 0, bytes.length, hash);
  return hash;
}

export const NOT_FOUND = -1;

/** Numbers ids in the order in which they come. */
export interface IdTable {
  /** The number of an id, a new one where it has none yet: it is then `size` of before. */
  add(low: number, high: number): number;
  /** The number of an id, or `NOT_FOUND`. */
  find(low: number, high: number): number;
  readonly size: number;
}

/** An open hash table over typed arrays: a `Map` of as many texts takes ten times as long. */
export function createIdTable(expected = 16): IdTable {
  let slots = new Int32Array(powerOfTwo(expected * 2)).fill(NOT_FOUND);
  let lows = new Uint32Array(slots.length / 2);
  let highs = new Uint32Array(slots.length / 2);
  let size = 0;
  const slotOf = (low: number, high: number): number => {
    const mask = slots.length - 1;
    let slot = (low ^ high) & mask;
    for (let found = slots[slot] as number; found !== NOT_FOUND; found = slots[slot] as number) {
      if (lows[found] === low && highs[found] === high) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  const grow = (): void => {
    slots = new Int32Array(slots.length * 2).fill(NOT_FOUND);
    lows = extended(lows);
    highs = extended(highs);
    for (let index = 0; index < size; index += 1) slots[slotOf(lows[index] as number, highs[index] as number)] = index;
  };
  return {
    add(low, high) {
      const slot = slotOf(low, high);
      const found = slots[slot] as number;
      if (found !== NOT_FOUND) return found;
      if (size === lows.length) {
        grow();
        return this.add(low, high);
      }
      lows[size] = low;
      highs[size] = high;
      slots[slot] = size;
      return size++;
    },
    find: (low, high) => slots[slotOf(low, high)] as number,
    get size() {
      return size;
    },
  };
}

function extended(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(16, least)));
}

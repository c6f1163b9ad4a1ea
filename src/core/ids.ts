import { randomBytes } from "node:crypto";
import { systemClock, type Clock } from "./clock.ts";

/** Makes a UUID of version 7: unique, and ordered by the time it was made, so that ids sort as things happened. */
export function createId(clock: Clock = systemClock, random: (size: number) => Buffer = randomBytes): string {
  const bytes = random(16);
  bytes.writeUIntBE(clock.now(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

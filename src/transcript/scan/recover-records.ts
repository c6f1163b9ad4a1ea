import { NOT_WALKED, skipSpace, walkObject } from "./json-bytes.ts";

/** A stretch of a line: a record by itself, or bytes that are none. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  readonly isBroken: boolean;
}

/** Keys that records begin with: where a new one may have been glued to half of another. */
const BEGINNINGS = ['{"parentUuid":', '{"type":', '{"logicalParentUuid":'].map((text) => Buffer.from(text));
const MOST_ATTEMPTS = 200;

/** Takes a line apart that is not one JSON value: records glued to each other, or to half of one that was cut off. */
export function recoverRecords(bytes: Buffer, start: number, end: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let at = skipSpace(bytes, start, end);
  while (at < end) {
    const whole = recordAt(bytes, at, end);
    const next = whole === undefined ? findNextRecord(bytes, at + 1, end) : whole.end;
    stretches.push(whole ?? { start: at, end: next, value: undefined, isBroken: true });
    at = skipSpace(bytes, next, end);
  }
  return stretches;
}

function recordAt(bytes: Buffer, start: number, end: number): Stretch | undefined {
  const after = walkObject(bytes, start, end, undefined);
  if (after === NOT_WALKED) return undefined;
  try {
    return { start, end: after, value: JSON.parse(bytes.toString("utf8", start, after)), isBroken: false };
  } catch {
    return undefined;
  }
}

/** Where the next whole record begins; a block inside the broken one may look like it, but has no session. */
function findNextRecord(bytes: Buffer, start: number, end: number): number {
  let from = start;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const places = BEGINNINGS.map((beginning) => bytes.indexOf(beginning, from));
    const place = Math.min(...places.map((found) => (found === -1 || found >= end ? end : found)));
    if (place === end || isRecord(recordAt(bytes, place, end)?.value)) return place;
    from = place + 1;
  }
  return end;
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && ("uuid" in value || "sessionId" in value);
}

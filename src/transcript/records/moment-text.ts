/** A record's time as text. Versions write ISO 8601; what other tools have rewritten may have a number instead. */
export function momentText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !(value > 0)) return undefined;
  const ms = value < FIRST_MS ? value * 1000 : value;
  return ms > LAST_MS ? undefined : new Date(ms).toISOString();
}

/** Numbers below this are seconds since 1970, others milliseconds: as milliseconds it is in 1973. */
const FIRST_MS = 100_000_000_000;
const LAST_MS = 8_640_000_000_000_000;

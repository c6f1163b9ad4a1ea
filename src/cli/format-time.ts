const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

const OLDEST_DAYS = 30;

/** How long ago a moment was, as short as can be: `12s`, `5m`, `3h`, `9d`, or its date. */
export function formatAge(atMs: number, nowMs: number): string {
  const ago = nowMs - atMs;
  if (ago > OLDEST_DAYS * 86_400_000) return formatMoment(atMs).slice(0, 10);
  const [unit, size] = UNITS.find(([, ms]) => ago >= ms) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(ago / size))}${unit}`;
}

/** A moment by the clock on the wall: `2026-11-15 12:03:45`. */
export function formatMoment(atMs: number): string {
  const at = new Date(atMs);
  const two = (part: number): string => String(part).padStart(2, "0");
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Reads a moment: a date, a date with its time, or how long ago (`30m`, `12h`, `7d`); undefined where it is none. */
export function parseMoment(text: string, nowMs: number): number | undefined {
  const [, count, unit] = /^(\d+)([smhd])$/u.exec(text) ?? [];
  const size = UNITS.find(([name]) => name === unit)?.[1];
  if (size !== undefined) return nowMs - Number(count) * size;
  if (!/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/u.test(text)) return undefined;
  // A date alone is meant by the clock on the wall, as a date with a time is.
  const ms = Date.parse(text.length === 10 ? `${text}T00:00` : text.replace(" ", "T"));
  return Number.isNaN(ms) ? undefined : ms;
}

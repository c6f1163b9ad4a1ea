/** `"2026-11-15T09:30:00.000Z"` with its quotes: what every version of the CLI writes. */
const LENGTH = 26;
const ZERO = 0x30;

let lastDay = -1;
let lastDayMs = 0;

/** The moment that such a text names, without making a text of it; undefined for any other text, which `Date.parse` knows. */
export function parseMoment(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end - start !== LENGTH || bytes[start + 11] !== 0x54 || bytes[start + 24] !== 0x5a) return undefined;
  const [year, month, day] = [digits(bytes, start + 1, 4), digits(bytes, start + 6, 2), digits(bytes, start + 9, 2)];
  const [hour, minute] = [digits(bytes, start + 12, 2), digits(bytes, start + 15, 2)];
  const [second, millisecond] = [digits(bytes, start + 18, 2), digits(bytes, start + 21, 3)];
  const isSeparated =
    bytes[start + 5] === 0x2d &&
    bytes[start + 8] === 0x2d &&
    bytes[start + 14] === 0x3a &&
    bytes[start + 17] === 0x3a &&
    bytes[start + 20] === 0x2e;
  if (!isSeparated || !(year >= 1970) || !(month >= 1 && month <= 12) || !(day >= 1 && day <= 28)) return undefined;
  if (!(hour < 24 && minute < 60 && second < 60 && millisecond < 1000)) return undefined;
  const number = (year * 12 + month) * 31 + day;
  if (number !== lastDay) {
    lastDay = number;
    lastDayMs = Date.UTC(year, month - 1, day);
  }
  return lastDayMs + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
}

/** NaN where one is no digit. */
function digits(bytes: Uint8Array, start: number, count: number): number {
  let number = 0;
  for (let at = start; at < start + count; at += 1) {
    const digit = (bytes[at] as number) - ZERO;
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
  }
  return number;
}

import { isDigit } from "./json";

/** `"2026-11-15T09:30:00.000Z"` with its quotes: what every version of the CLI writes. */
const LENGTH: u32 = 26;
const DAY_MS: i64 = 86_400_000;

/** The moment that such a text between two places names; NaN for any other, which JavaScript knows. */
export function parseMoment(start: u32, end: u32): f64 {
  if (end - start != LENGTH || load<u8>(start, 11) != 0x54 || load<u8>(start, 24) != 0x5a) return NaN;
  if (load<u8>(start, 5) != 0x2d || load<u8>(start, 8) != 0x2d) return NaN;
  if (load<u8>(start, 14) != 0x3a || load<u8>(start, 17) != 0x3a || load<u8>(start, 20) != 0x2e) return NaN;
  const year = digits(start + 1, 4);
  const month = digits(start + 6, 2);
  const day = digits(start + 9, 2);
  const hour = digits(start + 12, 2);
  const minute = digits(start + 15, 2);
  const second = digits(start + 18, 2);
  const millisecond = digits(start + 21, 3);
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > daysIn(month, year)) return NaN;
  if (<u32>hour > 23 || <u32>minute > 59 || <u32>second > 59 || millisecond < 0) return NaN;
  const seconds = (<i64>hour * 60 + minute) * 60 + second;
  return <f64>(daysSince1970(year, month, day) * DAY_MS + seconds * 1000 + millisecond);
}

function daysIn(month: i32, year: i32): i32 {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}

/** In years that begin in March a leap day is the last. */
function daysSince1970(year: i32, month: i32, day: i32): i64 {
  const years = month <= 2 ? year - 1 : year;
  const months = (month + 9) % 12;
  return <i64>years * 365 + years / 4 - years / 100 + years / 400 + (months * 306 + 5) / 10 + day - 1 - 719_468;
}

/** Negative where one is no digit. */
function digits(start: u32, count: u32): i32 {
  let number: i32 = 0;
  for (let at = start; at < start + count; at += 1) {
    const byte = load<u8>(at);
    if (!isDigit(byte)) return -1;
    number = number * 10 + (byte - 0x30);
  }
  return number;
}

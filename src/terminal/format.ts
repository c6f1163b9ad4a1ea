import { offlineName } from "../core/internal.ts";

/** A duration as people say it: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A time that still runs, in whole seconds: `12 s`, `2 min 5 s`. */
export function formatElapsed(ms: number): string {
  return formatDuration(Math.floor(ms / 1000) * 1000)
    .replace(".0", "")
    .replace("0 ms", "0 s");
}

/** Money with as many digits as it needs to be seen: `$1.20`, `$0.0042`. */
export function formatUsd(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}

/** Money that stands below each other: with the same number of digits; empty where there is none. */
export function formatUsdColumn(amounts: readonly (number | null | undefined)[]): readonly string[] {
  const digits = amounts.some((usd) => typeof usd === "number" && usd > 0 && usd < 0.1) ? 4 : 2;
  return amounts.map((usd) => (typeof usd === "number" ? `$${usd.toFixed(digits)}` : ""));
}

/** Who answered: the model, or the offline model by the scenario that it played. */
export function modelName(model: string, scenario: string | null): string {
  return scenario === null ? model : offlineName(scenario);
}

/** A count with its thousands apart. */
export function formatCount(count: number): string {
  // Not by `toLocaleString`: to load the languages takes milliseconds at the start of each command.
  return `${count}`.replace(/\B(?=(?:\d{3})+$)/u, ",");
}

/** A count with its noun, which gets an s when there is not exactly one. */
export function formatNumberOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A size as people say it: `812 B`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"] as const;
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power] ?? "B"}`;
}

/** A reward, short enough to be compared in a column: `0.88`, `-153`. */
export function formatReward(value: number): string {
  return Math.abs(value) < 100 ? value.toFixed(2) : String(Math.round(value));
}

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

/** How long ago a moment was, in words: `just now`, `5 min ago`, `3 h ago`, `9 days ago`, or its date. */
export function formatAgo(atMs: number, nowMs: number): string {
  const minutes = Math.floor((nowMs - atMs) / 60_000);
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1440)];
  if (minutes < 1) return "just now";
  if (hours < 1) return `${minutes} min ago`;
  if (days < 1) return `${hours} h ago`;
  return days > OLDEST_DAYS ? formatMoment(atMs).slice(0, 10) : `${formatNumberOf(days, "day")} ago`;
}

/** When something was: for a person at a terminal how long ago; in a pipe, which is read later, by the clock on the wall. */
export function formatWhen(atMs: number, nowMs: number, { isLive }: { readonly isLive: boolean }): string {
  return isLive ? formatAgo(atMs, nowMs) : formatMoment(atMs);
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

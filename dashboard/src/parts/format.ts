// How figures are said on this page: short, with the same digits in a column.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `$0.0042` small, `$12.40` large, "offline" where nobody paid, a dash where it is not known. */
export function moneyText(costUsd: number | null | undefined, isOffline: boolean | null = false): string {
  if (isOffline) return "offline";
  if (costUsd === null || costUsd === undefined) return "–";
  if (costUsd === 0) return "$0.00";
  if (costUsd >= 1000) return `$${Math.round(costUsd).toLocaleString("en-US")}`;
  return `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
}

/** `950`, `41.1k`, `2.30M`. */
export function tokensText(count: number | null | undefined): string {
  if (count === null || count === undefined) return "–";
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(2)}M`;
}

/** `740 ms`, `3.2 s`, `4 m 10 s`, `2 h 05 m`. */
export function durationText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const seconds = Math.floor(ms / 1000);
  if (ms < HOUR_MS) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  if (ms < DAY_MS) return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} m`;
  return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / HOUR_MS)} h`;
}

/** A duration that is counted while it grows or shrinks, in whole seconds: `7 s`, `4 m 10 s`. */
export function secondsText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1000);
}

/** `812 B`, `4.1 kB`, `12.3 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** `just now`, `4 min ago`, `3 h ago`, `yesterday`, `12 Nov`, `12 Nov 2024`. */
export function agoText(at: string, nowMs: number): string {
  const date = new Date(at);
  const ms = nowMs - date.getTime();
  if (Number.isNaN(ms)) return at;
  if (ms < MINUTE_MS) return "just now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  if (ms < 2 * DAY_MS) return "yesterday";
  if (ms < 7 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days ago`;
  const isThisYear = date.getFullYear() === new Date(nowMs).getFullYear();
  const year = isThisYear ? {} : ({ year: "numeric" } as const);
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year });
}

/** The exact time in the person's own zone: `Thu 19 Nov 2026, 12:38:26`. */
export function exactTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const day = date.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric" });
  return `${day}, ${date.toLocaleTimeString("en-GB")}`;
}

/** The first twelve characters, as Skein's commands show ids. */
export function shortId(id: string): string {
  return id.slice(0, 12);
}

/** A path cut in its middle, so that its beginning and its name stay. */
export function middleCut(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const end = Math.ceil((most - 1) * 0.65);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

/** `1 file`, `3 files`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** A reward with two digits, or none where it is whole. */
export function rewardText(reward: number): string {
  return Number.isInteger(reward) ? String(reward) : reward.toFixed(2);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

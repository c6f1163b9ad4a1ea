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

/** A count with its thousands apart. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
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

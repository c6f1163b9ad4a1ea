import { defined } from "../../core/index.ts";
/** Names the day of a moment as YYYY-MM-DD, in a time zone; undefined where the text is no moment. */
export function createDayNamer(timeZone?: string): (timestamp: string | undefined) => string | undefined {
  const format = new Intl.DateTimeFormat("en-CA", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    ...defined({ timeZone }),
  });
  // Formatting is slow and moments come in runs: all of one minute are on the same day.
  const byMinute = new Map<string, string | undefined>();
  return (timestamp) => {
    if (timestamp === undefined) return undefined;
    const minute = timestamp.endsWith("Z") ? timestamp.slice(0, 16) : timestamp;
    if (!byMinute.has(minute)) byMinute.set(minute, nameDay(format, timestamp));
    return byMinute.get(minute);
  };
}

function nameDay(format: Intl.DateTimeFormat, timestamp: string): string | undefined {
  const moment = Date.parse(timestamp);
  return Number.isNaN(moment) ? undefined : format.format(moment);
}

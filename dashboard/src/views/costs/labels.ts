/** An hour or a day in words, in the person's own zone. */
export function labelOf(from: string, bucket: "hour" | "day"): string {
  const date = new Date(from);
  const day = date.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" });
  if (bucket === "day") return day;
  return `${day}, ${date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}

/** Deeper than any event; what is deeper, or goes round in a circle, is not let through unseen. */
const MAX_DEPTH = 200;

/** Gives a text without its secrets. */
export type Redact = (text: string) => string;

/** Plain data with every string in it redacted, the names of fields too. */
export function redactValue<Value>(value: Value, redact: Redact, depth = 0): Value {
  if (typeof value === "string") return redact(value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return "[redacted]" as Value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item as unknown, redact, depth + 1)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [redact(name), redactValue(field as unknown, redact, depth + 1)]),
  ) as Value;
}

import { inspect } from "node:util";

/** Fields that may hold secrets: what is in them is told by its type alone. */
const SECRET_FIELDS: readonly PropertyKey[] = ["env", "headers", "settings", "extraArgs", "credentials"];

/** What a caller gave at a place: a plain value as it is, but short; anything else, and secrets, by kind alone. */
export function describeGiven(value: unknown, path: readonly PropertyKey[]): string {
  const given = valueAt(value, path);
  if (given === undefined) return "missing";
  if (Array.isArray(given)) return "a list";
  if (typeof given === "function") return "a function";
  if (typeof given === "object" && given !== null) return "an object";
  if (given !== null && path.some((part) => SECRET_FIELDS.includes(part))) return `of type ${typeof given}`;
  return inspect(given, { maxStringLength: 80 });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  );
}

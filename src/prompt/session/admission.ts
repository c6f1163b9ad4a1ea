import { SkeinError } from "../../core/index.ts";
import type { StandardSchemaV1 } from "../standard-schema.ts";

/** What a slice tells of its items. */
interface Taker {
  readonly name: string;
  readonly schema: StandardSchemaV1;
}

/** Takes items into slices; those that a slice has taken before are known and not checked again. */
export function createAdmission(): (slice: Taker | undefined, items: readonly unknown[]) => readonly unknown[] {
  const admitted = new WeakMap<Taker, WeakSet<object>>();
  return (slice, items) => {
    // Nothing is known of the items of a slice that only a file tells of: they stay what they are.
    if (!slice) return items;
    const known = admitted.get(slice) ?? new WeakSet();
    admitted.set(slice, known);
    const admit = (item: unknown): unknown => {
      if (typeof item === "object" && item !== null && known.has(item)) return item;
      const taken = admitItem(slice, item);
      if (typeof taken === "object" && taken !== null) known.add(taken);
      return taken;
    };
    return items.map(admit);
  };
}

/**
 * Takes an item into a slice: a copy as JSON, as a file would give it back, then checked by the schema and frozen. So
 * whoever keeps the original cannot change what the session remembers, and what is kept can be read again.
 */
function admitItem(slice: Taker, item: unknown): unknown {
  const result = slice.schema["~standard"].validate(copyAsJson(slice.name, item));
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw refused(slice.name, "its schema is asynchronous", "Use a schema without asynchronous checks");
  }
  if (result.issues === undefined) return freeze(result.value);
  const [issue] = result.issues;
  const path = issue?.path?.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  throw refused(
    slice.name,
    `${path ? `${path}: ` : ""}${issue?.message}`,
    "Give items that the slice's schema accepts",
  );
}

function copyAsJson(slice: string, item: unknown): unknown {
  try {
    const json = JSON.stringify(item) as string | undefined;
    if (json !== undefined) return JSON.parse(json) as unknown;
  } catch (cause) {
    throw refused(slice, "it cannot be written as JSON", "Give plain data", cause);
  }
  throw refused(slice, "it cannot be written as JSON", "Give plain data");
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

function refused(slice: string, why: string, hint: string, cause?: unknown): SkeinError {
  return new SkeinError(`The slice ${slice} rejected an item: ${why}`, {
    kind: "usage",
    target: slice,
    hint,
    cause,
  });
}

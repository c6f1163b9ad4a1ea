import type { z } from "zod";
import { SkeinError } from "../core/index.ts";

/** Reads one of the store's own JSON files. A version that we do not know is told apart from damage. */
export function parseFile<Schema extends z.ZodType>(schema: Schema, text: string, place: string): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw broken(place, "it is not JSON", cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (typeof version === "number" && version > 1) {
    throw new SkeinError(`${place} has version ${version}, which this Skein does not know`, {
      kind: "parse",
      target: place,
      hint: "Update Skein",
      cause: parsed.error,
    });
  }
  const issue = parsed.error.issues[0];
  throw broken(place, `${issue?.path.join(".") || "its root"}: ${issue?.message}`, parsed.error);
}

function broken(place: string, why: string, cause: unknown): SkeinError {
  return new SkeinError(`${place} cannot be read: ${why}`, {
    kind: "parse",
    target: place,
    hint: "skein verify shows what else is damaged",
    cause,
  });
}

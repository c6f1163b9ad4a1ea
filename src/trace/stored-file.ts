import { z } from "zod";
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

// What a state says may come from somebody else: each value is held to what Skein itself writes, so that none can lead to a
// path, be taken for a flag of the CLI, or be larger than what is made of it.

export const RecordId = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/u);

/** The id of a session: the CLI is given it, and files are named after it. Claude Code's are UUIDs, other engines' need not be. */
export const SessionId = z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/u);

export const Moment = z.iso.datetime({ offset: true });

export const Amount = z.number().min(0).max(1e15);

export const Dollars = z.number().min(0).max(1e9);

export const ModelName = z.string().regex(/^(?:[\w[][\w.:@/[\] -]{0,199})?$/u);

export const ShortName = z.string().max(1000);

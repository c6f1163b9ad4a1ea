import { z } from "zod";
import { SkeinError } from "../../core/internal.ts";

/** Reads one of the store's own JSON files. A version that we do not know is told apart from damage. */
export function parseFile<File extends { version: 1 }>(
  schema: z.ZodType<File>,
  text: string | undefined,
  place: string,
): Omit<File, "version"> {
  const fail = (message: string, hint: string, cause: unknown): SkeinError =>
    new SkeinError(message, { kind: "parse", target: place, hint, cause });
  const damaged = (why: string, cause: unknown): SkeinError =>
    fail(`${place} cannot be read: ${why}`, "skein verify shows what else is damaged", cause);
  let value: unknown;
  try {
    value = JSON.parse(text ?? "");
  } catch (cause) {
    throw damaged("it is not JSON", cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    const { version: _, ...file } = parsed.data;
    return file;
  }
  const { error } = parsed;
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (typeof version === "number" && version > 1) {
    throw fail(`${place} has version ${version}, which this Skein does not know`, "Update Skein", error);
  }
  const issue = error.issues[0];
  throw damaged(`${issue?.path.join(".") || "its root"}: ${issue?.message}`, error);
}

export function formatFile(file: object): string {
  return `${JSON.stringify({ version: 1, ...file }, null, 1)}\n`;
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

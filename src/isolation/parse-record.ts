import type { z } from "zod";
import { SkeinError } from "../core/internal.ts";

/** Checks what a caller gave for a record, and freezes it. What is wrong is told with the name of the field. */
export function parseRecord<Record>(name: string, schema: z.ZodType<Record>, given: unknown): Readonly<Record> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data);
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  const target = field === "" ? name : `${name}.${field}`;
  throw new SkeinError(`${target}: ${issue?.message ?? "not valid"}`, { kind: "usage", target });
}

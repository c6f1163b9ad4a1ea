import { SkeinError } from "../core/internal.ts";

/** The error for what a program gave and cannot work. */
export function usageError(target: string, message: string, hint?: string): SkeinError {
  return new SkeinError(message, { kind: "usage", target, hint });
}

/** The characters of a name that becomes part of paths and of what the model reads. */
export const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/u;
export const NAME_HINT = "1 to 64 of a-z, 0-9, '.', '_' and '-', the first a letter or a digit";

export function checkName(what: string, name: unknown): string {
  if (typeof name === "string" && NAME.test(name)) return name;
  throw usageError(what, `The ${what} cannot be ${JSON.stringify(name)}`, NAME_HINT);
}

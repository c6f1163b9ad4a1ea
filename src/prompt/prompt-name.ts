import { SkeinError } from "../core/index.ts";

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/u;

/** Checks the name of a prompt, a section or an override: it becomes part of paths and of what the model reads. */
export function checkName(what: string, name: unknown): string {
  if (typeof name === "string" && NAME.test(name)) return name;
  throw new SkeinError(`The ${what} cannot be ${JSON.stringify(name)}`, {
    kind: "usage",
    target: what,
    hint: "1 to 64 of a-z, 0-9, '.', '_' and '-', the first a letter or a digit",
  });
}

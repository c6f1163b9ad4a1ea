import { usageError } from "../usage-error.ts";

export type PlaceholderValue = string | number | boolean | bigint;

/**
 * The names of the placeholders in a template, read by the type checker: `"a" | "b"` of `"${a} and ${b}"`. What is found is
 * carried along, because the checker goes a thousand steps deep that way, and fifty otherwise.
 */
export type PlaceholderNames<
  Template extends string,
  Found extends string = never,
> = Template extends `${infer Before}\${${infer After}`
  ? Before extends `${string}$`
    ? PlaceholderNames<After, Found>
    : After extends `${infer Name}}${infer Rest}`
      ? PlaceholderNames<Rest, Found | Name>
      : Found
  : Found;

/** The names of the placeholders in a template, in order, each once. `$${` stands for `${` itself. */
export function placeholderNames(template: string, place: string): readonly string[] {
  const names = new Set<string>();
  for (const [text, name] of template.matchAll(PLACEHOLDER)) {
    if (text === ESCAPED) continue;
    if (name === undefined || !NAME.test(name)) {
      const hint = "A placeholder is ${name}; write $${ for the characters ${ themselves";
      throw usageError(place, `The section ${place} has an invalid placeholder: ${text}`, hint);
    }
    names.add(name);
  }
  return [...names];
}

/** Puts values in the place of placeholders, once: what looks like one inside a value stays as it is. */
export function fillPlaceholders(template: string, valueOf: (name: string) => PlaceholderValue): string {
  return template.replace(PLACEHOLDER, (text, name: string | undefined) => {
    if (text === ESCAPED || name === undefined) return "${";
    return String(valueOf(name));
  });
}

/** Escaped; whole; or one that is not closed, which is always a mistake. */
const PLACEHOLDER = /\$\$\{|\$\{([^}]*)\}|\$\{/gu;
const ESCAPED = "$${";
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;

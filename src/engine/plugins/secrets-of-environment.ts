import { API_CREDENTIALS, type SecretPattern } from "../../core/index.ts";

/** Variables by their names. */
export type NamedValues = Readonly<Record<string, string | undefined>>;

/** Shorter values are dummies, switches and words, which a text may hold by chance. */
const MIN_LENGTH = 8;

/** The values of the named variables, and of those for the CLI's credentials, as patterns that match them exactly. */
export function secretsOfEnvironment(env: NamedValues, names: readonly string[] = []): readonly SecretPattern[] {
  return [...new Set([...API_CREDENTIALS, ...names])].flatMap((name) => {
    const value = env[name]?.trim() ?? "";
    if (value.length < MIN_LENGTH) return [];
    // Inside JSON a value with quotes or line ends is written otherwise.
    const forms = new Set([value, JSON.stringify(value).slice(1, -1)]);
    return [...forms].map((form) => ({ name, pattern: new RegExp(form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")) }));
  });
}

/**
 * Matches a command against what stands in the parentheses of `Bash(…)`: as a whole, by a prefix of whole words (`git:*`,
 * `git *`), or with `*` for any text.
 */
export function matchesCommandPattern(pattern: string, command: string): boolean {
  const normal = pattern.trim().replaceAll(/\s+/g, " ");
  const prefix = prefixOf(normal);
  if (prefix === undefined) return matchesWildcards(normal, command);
  return matchesWildcards(prefix, command) || matchesWildcards(`${prefix} *`, command);
}

/** Whether a command that begins like this can turn out to match, whatever words follow. */
export function mayMatchCommandPattern(pattern: string, start: string): boolean {
  const normal = pattern.trim().replaceAll(/\s+/g, " ");
  const prefix = prefixOf(normal);
  const fixed = (prefix === undefined ? normal : `${prefix} *`).split("*", 1)[0] as string;
  return fixed.startsWith(`${start} `) || `${start} `.startsWith(fixed);
}

/** What has to come first, where the rest is free; a star after a space leaves it free only if it is the one star. */
function prefixOf(pattern: string): string | undefined {
  if (pattern.endsWith(":*")) return pattern.slice(0, -2).trimEnd();
  return pattern.endsWith(" *") && pattern.indexOf("*") === pattern.length - 1 ? pattern.slice(0, -2) : undefined;
}

/** Each fixed part is sought after the one before it: no backtracking, so a long command costs no more than its length. */
function matchesWildcards(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return text === pattern;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let index = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, index);
    if (found === -1) return false;
    index = found + part.length;
  }
  return index <= text.length - last.length;
}

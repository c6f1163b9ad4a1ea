/**
 * The texts at the top of a Markdown file, between two lines of `---`; undefined where there is no such top. Of YAML it
 * reads what such tops are made of: plain and quoted texts on a line, and texts that go on over indented lines.
 */
export function readFrontMatter(text: string): Readonly<Record<string, string>> | undefined {
  const top = /^\uFEFF?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/su.exec(text)?.[1];
  if (top === undefined) return undefined;
  const fields = new Map<string, string>();
  let last: string | undefined;
  for (const line of top.split(/\r?\n/u)) {
    const [, key, value = ""] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/u.exec(line) ?? [];
    if (key !== undefined) {
      last = key;
      // A block begins with its mark alone; what belongs to it follows.
      fields.set(key, /^[|>][+-]?$/u.test(value.trim()) ? "" : unquote(value.trim()));
    } else if (last !== undefined && /^\s+\S/u.test(line)) {
      fields.set(last, `${fields.get(last)} ${line.trim()}`.trim());
    }
  }
  return Object.fromEntries(fields);
}

function unquote(value: string): string {
  if (value.startsWith("'") && value.endsWith("'") && value.length > 1) return value.slice(1, -1).replaceAll("''", "'");
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}
